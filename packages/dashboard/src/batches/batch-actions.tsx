import type { Batch } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useOfferedCommands } from '../kit/commands/commands.ts';
import { ConfirmDialog } from '../kit/commands/confirm-dialog.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ActionButton } from '../kit/controls/action-button.tsx';
import { rowCountsOf } from './batch-progress.ts';
import { SaveResults } from './results/save-results.tsx';

type Action = 'retry' | 'cancel' | 'delete';

/** Buttons for the actions on a batch. */
export function BatchActions({ batch }: { readonly batch: Batch }) {
  const [asked, ask] = useState<Action>();
  const [result, setResult] = useState('');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (action: Action) => performAction(batch.id, action),
    onSuccess: async (_batch, action) => {
      ask(undefined);
      setResult(wordsOf(action, batch).done);
      // A removed batch must not be loaded again.
      if (action === 'delete') await navigate({ to: '/batches' });
    },
    onSettled: () => void queries.invalidateQueries({ queryKey: ['batches'] }),
  });
  const actions = actionsFor(batch);
  const names = actions.join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same actions are the same commands
  const commands = useMemo(
    () => actions.map((id) => ({ id, title: `${wordsOf(id, batch).button} of this batch`, act: () => ask(id) })),
    [names, batch.id],
  );
  useOfferedCommands(commands);
  const words = asked === undefined ? undefined : wordsOf(asked, batch);
  return (
    <>
      <span role="status">{result}</span>
      {actions.map((action) => (
        <ActionButton
          key={action}
          scope="run"
          tone={action === 'retry' ? undefined : 'danger'}
          title={wordsOf(action, batch).will}
          act={() => {
            reset();
            ask(action);
          }}
        >
          {wordsOf(action, batch).button}
        </ActionButton>
      ))}
      <SaveResults batch={batch} />
      {asked !== undefined && words !== undefined && (
        <ConfirmDialog
          title={words.asks}
          will={words.will}
          confirm={words.confirm}
          isDanger={asked !== 'retry'}
          isPending={isPending}
          error={error}
          act={() => mutate(asked)}
          close={() => ask(undefined)}
          copied={copyOf(operations[asked], { id: batch.id })}
        />
      )}
    </>
  );
}

function actionsFor({ status, rows }: Batch): readonly Action[] {
  const retry = (rows['failed'] ?? 0) + (rows['terminated'] ?? 0) > 0 ? (['retry'] as const) : [];
  if (status === 'running') return [...retry, 'cancel'];
  return status === 'cancelling' ? [] : [...retry, 'delete'];
}

interface Words {
  readonly button: string;
  readonly asks: string;
  readonly will: string;
  readonly confirm: string;
  readonly done: string;
}

/** Returns the texts of an action, with its effect on this batch, and its result. */
function wordsOf(action: Action, batch: Batch): Words {
  const { id, rows } = batch;
  const { running, left } = rowCountsOf(batch);
  const failed = (rows['failed'] ?? 0) + (rows['terminated'] ?? 0);
  const ofRows = (count: number) => (count === 1 ? '1 row' : `${count.toLocaleString('en')} rows`);
  const words = {
    retry: {
      button: `Retry ${ofRows(failed)}`,
      asks: `Retry ${ofRows(failed)} of ${id}?`,
      will: 'Failed runs continue where they have failed; calls that have succeeded are not paid again. Terminated rows start again from the beginning.',
      confirm: `Retry ${ofRows(failed)}`,
      done: `${ofRows(failed)} wait to be retried.`,
    },
    cancel: {
      button: 'Cancel',
      asks: `Cancel the batch ${id}?`,
      will: `${ofRows(left)} will not start, and the runs of ${ofRows(running)} are cancelled for good. Rows that have ended stay as they are.`,
      confirm: 'Cancel the batch',
      done: 'The batch is being cancelled.',
    },
    delete: {
      button: 'Delete',
      asks: `Delete the batch ${id}?`,
      will: 'The batch and its list of rows are deleted. Its runs stay.',
      confirm: 'Delete the batch',
      done: 'The batch is deleted.',
    },
  } as const satisfies Record<Action, Words>;
  return words[action];
}

function performAction(id: string, action: Action): Promise<Batch> {
  const { batches } = millrace;
  if (action === 'retry') return batches.retryFailed(id);
  return action === 'cancel' ? batches.cancel(id) : batches.remove(id);
}

const operations = {
  retry: 'batches.retryFailed',
  cancel: 'batches.cancel',
  delete: 'batches.delete',
} as const satisfies Record<Action, string>;
