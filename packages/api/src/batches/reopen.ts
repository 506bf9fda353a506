import { RequestError } from '@millrace/core';
import type { Batch } from '@millrace/runtime';

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
