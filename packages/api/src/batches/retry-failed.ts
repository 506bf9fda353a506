import { RequestError } from '@millrace/core';
import type { Batch, Batches, BatchLine } from '@millrace/runtime';
import type { RowNote } from './batch.ts';
import { rowNoteOf } from './batch.ts';

const atOnce = 200;
/** Statuses of rows that can be retried. */
const retried = ['failed', 'terminated'] as const;

/** Queues the failed and terminated rows of a batch again and returns their number. Throws RequestError when there is no such batch, or when it is being cancelled. */
export async function retryFailed(batches: Batches, id: string): Promise<number> {
  const { rows } = batches;
  reopened(await batches.find(id));
  // A finished or cancelled batch without such rows stays as it is.
  if (!(await hasRetryable(batches, id))) return 0;
  const batch = await batches.change(id, reopened);
  let count = 0;
  for (const from of retried) {
    for (;;) {
      const lines = await rows.read(batch, await rows.page(batch, from, { after: 0, limit: atOnce }));
      if (lines.length === 0) break;
      for (const line of lines) {
        if (await retry(batches, batch, line)) count += 1;
      }
    }
  }
  return count;
}

async function hasRetryable(batches: Batches, id: string): Promise<boolean> {
  const batch = await batches.find(id);
  for (const from of retried)
    if ((await batches.rows.page(batch, from, { after: 0, limit: 1 })).length > 0) return true;
  return false;
}

/**
 * Queues one failed or terminated row of a batch again. Throws RequestError if there is no such batch or row, or if the row
 * has another status.
 */
export async function retryRow(batches: Batches, id: string, row: number): Promise<void> {
  const found = await batches.find(id);
  const [line] = await batches.rows.read(found, [row]);
  if (line === undefined) throw new RequestError('ROW_UNKNOWN', `The batch ${id} has no row ${row}.`);
  // A reopened batch must have a waiting row, or nothing would finish it.
  if (!retried.some((status) => status === line.status)) {
    throw new RequestError(
      'ROW_NOT_FAILED',
      `The row ${row} of the batch ${id} is ${line.status}. Only rows that have failed or were terminated can be retried.`,
    );
  }
  await retry(batches, await batches.change(id, reopened), line);
}

async function retry({ rows }: Batches, batch: Batch, line: BatchLine): Promise<boolean> {
  const { error: _past, ...before } = rowNoteOf(line);
  const note = JSON.stringify({ ...before, again: true } satisfies RowNote);
  return rows.move(batch, { row: line.row, from: retried, to: 'waiting', note });
}

/**
 * Returns a finished batch with the status `running`; undefined if it is not finished. Throws RequestError while it is being
 * cancelled, because its rows would be cancelled, too.
 */
export function reopened({ finishedAt, cancelledAt, ...batch }: Batch): Batch | undefined {
  if (finishedAt !== undefined) return batch;
  if (cancelledAt === undefined) return undefined;
  throw new RequestError(
    'BATCH_CANCELLING',
    `The batch ${batch.id} is being cancelled. Retry its rows when it is cancelled.`,
  );
}
