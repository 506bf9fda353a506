import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../kit/controls/dialog.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import type { BulkProgress } from './apply-to-runs.ts';
import { applyToRuns, giveOrder } from './apply-to-runs.ts';
import classes from './bulk.module.css';
import type { BulkAction, BulkTarget } from './bulk-action.ts';
import { bulkWords, runsInWords } from './bulk-action.ts';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly target: BulkTarget;
  readonly close: () => void;
}

/** Dialog that says what an action on many runs will do, then how far it has come, then what it did. */
export function BulkDialog({ action, target, close }: BulkDialogProps) {
  const [progress, setProgress] = useState<BulkProgress>();
  const { verb, effect } = bulkWords[action];
  const runs = runsInWords(target.type === 'runs' ? target.ids.length : target.count);
  const {
    mutate,
    data: order,
    error,
    isPending,
    isSuccess,
  } = useMutation({
    mutationFn: async () =>
      target.type === 'filter'
        ? giveOrder(action, target.filter)
        : applyToRuns(action, target.ids, setProgress).then(() => undefined),
  });
  return (
    <Dialog title={isSuccess ? `${verb} ${runs}` : `${verb} ${runs}?`} {...(isPending ? {} : { close })}>
      {progress === undefined && !isSuccess && <p>{effect}</p>}
      {error !== null && <Problem error={error} />}
      {progress !== undefined && <Progress action={action} progress={progress} />}
      {order !== undefined && (
        <p role="status">
          The order is given.{' '}
          <Link to="/bulk/$order" params={{ order }}>
            Watch its progress
          </Link>
        </p>
      )}
      <p className={classes['buttons']}>
        {isSuccess ? (
          <button type="button" className="button primary" onClick={close}>
            Close
          </button>
        ) : (
          <>
            <button type="button" className="button" disabled={isPending} onClick={close}>
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
      </p>
    </Dialog>
  );
}

/** Refusals that are listed; the others are counted. */
const mostRefusals = 5;

function Progress({ action, progress }: { readonly action: BulkAction; readonly progress: BulkProgress }) {
  const { total, done, refused } = progress;
  return (
    <>
      <progress max={total} value={done + refused.length} aria-label="Progress" />
      <p role="status">
        {bulkWords[action].past} {done} of {total}.{refused.length > 0 && ` ${refused.length} refused:`}
      </p>
      {refused.length > 0 && (
        <ul className={classes['refused']}>
          {refused.slice(0, mostRefusals).map(({ run, error }) => (
            <li key={run}>
              <Link to="/runs/$run" params={{ run }}>
                <code>{run}</code>
              </Link>{' '}
              {error instanceof Error ? error.message : String(error)}
            </li>
          ))}
          {refused.length > mostRefusals && <li>and {refused.length - mostRefusals} more</li>}
        </ul>
      )}
    </>
  );
}
