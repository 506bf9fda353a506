import type { Batch } from '@millrace/runtime';

/** Returns a finished batch as a running one; undefined when it is not finished. */
export function reopened({ finishedAt, cancelledAt: _given, ...batch }: Batch): Batch | undefined {
  return finishedAt === undefined ? undefined : batch;
}
