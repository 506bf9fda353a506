import type { BatchRow } from '@millrace/client';

/** Part of a batch that an address names. */
export interface BatchPlace {
  readonly status?: BatchRow['status'];
  /** Rows with their inputs and outputs. */
  readonly view?: 'results';
}

/** Statuses of rows in the order of their tabs. */
export const rowStatuses = [
  'waiting',
  'running',
  'completed',
  'failed',
  'terminated',
  'cancelled',
  'invalid',
] as const satisfies readonly BatchRow['status'][];

/** Reads the place from the query of an address; unknown values are ignored. */
export function parseBatchPlace({ status, view }: Record<string, unknown>): BatchPlace {
  const known = rowStatuses.find((one) => one === status);
  return { ...(known === undefined ? {} : { status: known }), ...(view === 'results' ? { view } : {}) };
}
