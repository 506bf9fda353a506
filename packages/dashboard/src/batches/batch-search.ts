import type { BatchRow } from '@millrace/client';
import type { SearchOf } from '../kit/values/search.ts';
import { oneOf, searchOf } from '../kit/values/search.ts';

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

/** What an address names of a batch. */
export const parseBatchSearch = searchOf({
  status: oneOf(...rowStatuses),
  /** Rows with their inputs and outputs. */
  view: oneOf('results'),
});

/** See {@link parseBatchSearch}. */
export type BatchSearch = SearchOf<typeof parseBatchSearch>;
