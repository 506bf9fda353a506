import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useOrder } from '../../bulk/use-order.ts';
import { CopyAs } from '../../kit/commands/copy-as.tsx';
import { Dialog } from '../../kit/controls/dialog.tsx';
import form from '../../kit/controls/form.module.css';
import { Problem } from '../../kit/states/problem.tsx';
import type { BulkAction, BulkTarget } from './bulk-action.ts';
import { bulkWords, runsInWords } from './bulk-action.ts';
import { copiedOrder, giveOrder } from './give-order.ts';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly close: () => void;
}

/** Dialog that describes the effect of an action on many runs, then its progress, then its result. */
export function BulkDialog({ action, target, close }: BulkDialogProps) {
  const { verb, effect } = bulkWords[action];
  const total = target.type === 'runs' ? target.ids.length : target.count;
  const runs = runsInWords(total);
  const { mutate, data: order, error, isPending } = useMutation({ mutationFn: () => giveOrder(action, target) });
  const isGiven = order !== undefined;
  return (
    <Dialog title={isGiven ? `${verb} ${runs}` : `${verb} ${runs}?`} close={close}>
      {!isGiven && <p>{effect}</p>}
      {error !== null && <Problem error={error} />}
      {isGiven && <Progress action={action} order={order} total={total} />}
      <div className={form['buttons']}>
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
              onClick={() => mutate()}
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
  const { past } = bulkWords[action];
  const { done = 0, left = 0, status } = data ?? {};
  return (
    <>
      {error !== null && <Problem error={error} />}
      {total !== undefined && <progress max={total} value={done + left} aria-label="Progress" />}
      <p role="status">
        {past} {runsInWords(done)}
        {status === 'finished' ? '.' : ' so far.'}
        {left > 0 && ` ${runsInWords(left)} had ended meanwhile.`}
      </p>
      <p>
        <Link to="/bulk/$order" params={{ order }}>
          The order continues without this page: watch its progress
        </Link>
      </p>
    </>
  );
}
