import type { BatchRow } from '@millrace/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { copyOf } from '../../kit/commands/copy-of.ts';
import { ActionButton } from '../../kit/controls/action-button.tsx';
import { ConfirmDialog } from '../../kit/controls/confirm-dialog.tsx';

/** Button that retries one row, after a question. */
export function RetryRow({ batch, row }: { readonly batch: string; readonly row: BatchRow }) {
  const [isAsked, ask] = useState(false);
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => millrace.batches.retryRow(batch, row.row),
    onSuccess: () => ask(false),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['batches'] }),
  });
  return (
    <>
      <ActionButton scope="run" title={`Retry row ${row.row}`} act={() => ask(true)}>
        <RotateCcw aria-hidden size={13} /> Retry
        <span className="visually-hidden"> row {row.row}</span>
      </ActionButton>
      {isAsked && (
        <ConfirmDialog
          title={`Retry row ${row.row}?`}
          will={retriesFrom(row)}
          confirm="Retry the row"
          isPending={isPending}
          error={error}
          act={() => mutate()}
          close={() => ask(false)}
          copied={copyOf('batches.retryRow', { id: batch, row: row.row })}
        />
      )}
    </>
  );
}

const retriesFrom = ({ status, runId }: BatchRow): string =>
  status === 'failed' && runId !== undefined
    ? `The run ${runId} continues where it has failed. Calls that have succeeded are not paid again.`
    : 'The row starts again from the beginning, with a new run, which is paid again.';
