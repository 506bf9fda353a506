import { parseDuration } from '@millrace/core/duration';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { serverNow } from '../../api/server-clock.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import type { OperationCopy } from '../../kit/commands/copy-of.ts';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { Dialog } from '../../kit/controls/dialog.tsx';
import form from '../../kit/controls/form.module.css';
import { Problem } from '../../kit/states/problem.tsx';
import type { RunFilter } from '../filter/run-filter.ts';
import type { BulkAction, BulkTarget } from './bulk-orders.ts';
import { bulkLabels, runCountLabel, useOrder } from './bulk-orders.ts';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly close: () => void;
}

/** Dialog that describes the effect of an action on many runs, then its progress, then its result. */
export function BulkDialog({ action, target, close }: BulkDialogProps) {
  const { verb, effect } = bulkLabels[action];
  const {
    mutate,
    data: order,
    variables: given,
    error,
    isPending,
  } = useMutation({ mutationFn: (wanted: BulkTarget) => giveOrder(action, wanted) });
  // The selection shrinks as its runs end; the order does not.
  const subject = given ?? target;
  const total = subject.type === 'runs' ? subject.ids.length : subject.count;
  const runs = runCountLabel(total);
  const isGiven = order !== undefined;
  return (
    <Dialog title={isGiven ? `${verb} ${runs}` : `${verb} ${runs}?`} close={close}>
      {!isGiven && <p>{effect}</p>}
      {error !== null && <Problem error={error} />}
      {isGiven && <Progress action={action} order={order} total={total} />}
      <div className={`${form['buttons']} row wrap`}>
        {isGiven ? (
          <button type="button" className="button primary" onClick={close}>
            Close
          </button>
        ) : (
          <>
            <CopyAs of={copiedOrder(action, target)} />
            <button type="button" className="button" onClick={close}>
              Leave as is
            </button>
            <button
              type="button"
              className={`button ${action === 'cancel' ? 'danger' : 'primary'}`}
              disabled={isPending}
              onClick={() => mutate(target)}
            >
              {verb} {runs}
            </button>
          </>
        )}
      </div>
    </Dialog>
  );
}

interface ProgressProps {
  readonly action: BulkAction;
  readonly order: string;
  readonly total: number | undefined;
}

function Progress({ action, order, total }: ProgressProps) {
  const { data, error } = useOrder(order);
  const { past } = bulkLabels[action];
  const { done = 0, left = 0, status } = data ?? {};
  return (
    <>
      {error !== null && <Problem error={error} />}
      {total !== undefined && <progress max={total} value={done + left} aria-label="Progress" />}
      <p role="status">
        {past} {runCountLabel(done)}
        {status === 'finished' ? '.' : ' so far.'}
        {left > 0 && ` ${runCountLabel(left)} had ended meanwhile.`}
      </p>
      <p>
        <Link to="/bulk/$order" params={{ order }}>
          {status === 'finished' ? 'It has ended: see its page' : 'It continues without this page: watch its progress'}
        </Link>
      </p>
    </>
  );
}

/** Orders an action on many runs. Returns the id of the order. */
async function giveOrder(action: BulkAction, target: BulkTarget): Promise<string> {
  const { id } = await millrace.bulk.give({ action, filter: orderFilter(action, target) });
  return id;
}

/** Returns an order as a command and as a request, for copying. */
const copiedOrder = (action: BulkAction, target: BulkTarget): OperationCopy =>
  copyOf('bulk.create', { action, filter: orderFilter(action, target) });

const orderFilter = (action: BulkAction, target: BulkTarget) =>
  target.type === 'runs' ? { ids: [...target.ids] } : filterOf(action, target.filter);

function filterOf(action: BulkAction, { status, workflow, tag, since, until }: RunFilter) {
  return Object.fromEntries(
    Object.entries({
      status: action === 'retry' ? 'failed' : status,
      workflow,
      tag,
      since: momentOf(since),
      // An order for everything names a moment, as it must name something.
      until: momentOf(until) ?? String(serverNow()),
    }).filter(([, value]) => value !== undefined),
  );
}

/** Returns a moment for requests; a duration is subtracted from now. */
function momentOf(text: string | undefined): string | undefined {
  const durationMs = parseDuration(text ?? '');
  return durationMs === undefined ? text : String(Math.round(serverNow() - durationMs));
}
