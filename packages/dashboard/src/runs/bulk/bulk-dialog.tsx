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
import type { BulkActionType, BulkTarget } from './bulk-actions.ts';
import { bulkLabels, runCountLabel, useBulkAction } from './bulk-actions.ts';

interface BulkDialogProps {
  readonly action: BulkActionType;
  readonly target: BulkTarget;
  readonly close: () => void;
}

/** Dialog that describes the effect of an action on many runs, then its progress, then its result. */
export function BulkDialog({ action, target, close }: BulkDialogProps) {
  const { verb, effect } = bulkLabels[action];
  const {
    mutate,
    data: bulk,
    variables: given,
    error,
    isPending,
  } = useMutation({ mutationFn: (wanted: BulkTarget) => createBulk(action, wanted) });
  // The selection shrinks as its runs end; the bulk action does not.
  const subject = given ?? target;
  const total = subject.type === 'runs' ? subject.ids.length : subject.count;
  const runs = runCountLabel(total);
  const isGiven = bulk !== undefined;
  return (
    <Dialog title={isGiven ? `${verb} ${runs}` : `${verb} ${runs}?`} close={close}>
      {!isGiven && <p>{effect}</p>}
      {error !== null && <Problem error={error} />}
      {isGiven && <Progress action={action} bulk={bulk} total={total} />}
      <div className={`${form['buttons']} row wrap`}>
        {isGiven ? (
          <button type="button" className="button primary" onClick={close}>
            Close
          </button>
        ) : (
          <>
            <CopyAs of={copiedBulk(action, target)} />
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
  readonly action: BulkActionType;
  readonly bulk: string;
  readonly total: number | undefined;
}

function Progress({ action, bulk, total }: ProgressProps) {
  const { data, error } = useBulkAction(bulk);
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
        <Link to="/bulk/$bulk" params={{ bulk }}>
          {status === 'finished' ? 'It has ended: see its page' : 'It continues without this page: watch its progress'}
        </Link>
      </p>
    </>
  );
}

/** Creates a bulk action. Returns its id. */
async function createBulk(action: BulkActionType, target: BulkTarget): Promise<string> {
  const { id } = await millrace.bulk.create({ action, filter: targetFilter(action, target) });
  return id;
}

/** Returns a bulk action as a command and as a request, for copying. */
const copiedBulk = (action: BulkActionType, target: BulkTarget): OperationCopy =>
  copyOf('bulk.create', { action, filter: targetFilter(action, target) });

const targetFilter = (action: BulkActionType, target: BulkTarget) =>
  target.type === 'runs' ? { ids: [...target.ids] } : filterOf(action, target.filter);

function filterOf(action: BulkActionType, { status, workflow, tag, since, until }: RunFilter) {
  return Object.fromEntries(
    Object.entries({
      status: action === 'retry' ? 'failed' : status,
      workflow,
      tag,
      since: momentOf(since),
      // A bulk action on everything names a moment, as it must name something.
      until: momentOf(until) ?? String(serverNow()),
    }).filter(([, value]) => value !== undefined),
  );
}

/** Returns a moment for requests; a duration is subtracted from now. */
function momentOf(text: string | undefined): string | undefined {
  const durationMs = parseDuration(text ?? '');
  return durationMs === undefined ? text : String(Math.round(serverNow() - durationMs));
}
