import type { Batch } from '@millrace/client';
import { useNavigate } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { rowCountsOf } from './batch-progress.ts';
import { SaveResults } from './results/save-results.tsx';

/** Buttons for the actions on a batch. */
export function BatchActions({ batch }: { readonly batch: Batch }) {
  const navigate = useNavigate();
  return (
    <>
      <ResourceActions changes="batches" actions={actionsFor(batch, () => navigate({ to: '/batches' }))} />
      <SaveResults batch={batch} />
    </>
  );
}

function actionsFor(batch: Batch, leave: () => Promise<void>): readonly ResourceAction[] {
  const { id, status, rows } = batch;
  const { running, left } = rowCountsOf(batch);
  const failed = (rows['failed'] ?? 0) + (rows['terminated'] ?? 0);
  const ofRows = (count: number) => (count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`);
  const retry: ResourceAction = {
    id: 'retry',
    scope: 'run',
    button: `Retry ${ofRows(failed)}`,
    command: `Retry ${ofRows(failed)} of this batch`,
    asks: `Retry ${ofRows(failed)} of ${id}?`,
    will: 'Failed runs continue where they have failed; calls that have succeeded are not paid again. Terminated rows start again from the beginning.',
    confirm: `Retry ${ofRows(failed)}`,
    copied: copyOf('batches.retryFailed', { id }),
    act: async () => {
      await millrace.batches.retryFailed(id);
      return `${ofRows(failed)} wait to be retried.`;
    },
  };
  const cancel: ResourceAction = {
    id: 'cancel',
    scope: 'run',
    danger: 'always',
    button: 'Cancel',
    command: 'Cancel this batch',
    asks: `Cancel the batch ${id}?`,
    will: `${ofRows(left)} will not start, and the runs of ${ofRows(running)} are cancelled for good. Rows that have ended stay as they are.`,
    confirm: 'Cancel the batch',
    copied: copyOf('batches.cancel', { id }),
    act: async () => {
      await millrace.batches.cancel(id);
      return 'The batch is being cancelled.';
    },
  };
  const remove: ResourceAction = {
    id: 'delete',
    scope: 'run',
    danger: 'always',
    button: 'Delete',
    command: 'Delete this batch',
    asks: `Delete the batch ${id}?`,
    will: 'The batch and its list of rows are deleted. Its runs stay.',
    confirm: 'Delete the batch',
    copied: copyOf('batches.delete', { id }),
    act: async () => {
      await millrace.batches.remove(id);
      // A removed batch must not be loaded again.
      await leave();
    },
  };
  const ended = status === 'running' ? [cancel] : status === 'cancelling' ? [] : [remove];
  return failed > 0 && status !== 'cancelling' ? [retry, ...ended] : ended;
}
