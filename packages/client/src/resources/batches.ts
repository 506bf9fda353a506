import type { Client, OperationInput, PageOptions, RequestOptions } from '../client.ts';
import type {
  Batch,
  BatchRow,
  BulkAction,
  NamedFile,
  NewBatch,
  NewBulkAction,
  TablePreview,
} from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import type { Uploadable } from './files.ts';

/** Options of a batch: its rows or a table, and the common options of their runs. */
export interface BatchOptions extends Omit<NewBatch, 'workflow'>, RequestOptions {
  /** Table with a header, instead of `rows`: CSV or XLSX, according to its file extension. */
  readonly table?: BatchTable;
  /** Idempotency key: within a day, a start with the same key returns the same batch. */
  readonly idempotencyKey?: string;
}

/** File with a table. */
export interface BatchTable {
  readonly name: string;
  readonly content: Uploadable;
}

/** Filter of a list of rows. */
export type RowQuery = Pick<OperationInput<'batches.rows'>, 'status'>;

/** Runs of one workflow, one for each row of a table. */
export interface BatchesResource {
  start(workflow: string | { readonly yaml: string }, options: BatchOptions): Promise<Batch>;
  /** Returns a table as a batch would read it; starts nothing. */
  preview(table: BatchTable, columns?: NewBatch['columns'], options?: RequestOptions): Promise<TablePreview>;
  get(id: string, options?: RequestOptions): Promise<Batch>;
  list(options?: PageOptions): Pages<Batch>;
  rows(id: string, query?: RowQuery, options?: PageOptions): Pages<BatchRow>;
  /** Lists rows with their inputs and the outputs of their runs. */
  results(id: string, query?: RowQuery, options?: PageOptions): Pages<BatchRow>;
  /** Retries one row that has failed or was terminated. */
  retryRow(id: string, row: number, options?: RequestOptions): Promise<Batch>;
  /** Starts no further rows, and cancels the runs of the batch. */
  cancel(id: string, options?: RequestOptions): Promise<Batch>;
  retryFailed(id: string, options?: RequestOptions): Promise<Batch>;
  remove(id: string, options?: RequestOptions): Promise<Batch>;
}

/** Returns the methods of batches. */
export const createBatchesResource = (client: Client): BatchesResource => ({
  start(workflow, { idempotencyKey, signal, table, ...options }) {
    const file = table === undefined ? {} : { file: fileOf(table) };
    return client.call('batches.create', { workflow, ...options, ...file }, { idempotencyKey, signal });
  },
  preview: (table, columns, options) =>
    client.call('batches.preview', { file: fileOf(table), ...(columns === undefined ? {} : { columns }) }, options),
  get: (id, options) => client.call('batches.get', { id }, options),
  list: ({ limit, ...options } = {}) => pagesOf((cursor) => client.call('batches.list', { cursor, limit }, options)),
  rows: (id, query, { limit, ...options } = {}) =>
    pagesOf((cursor) => client.call('batches.rows', { id, ...query, cursor, limit }, options)),
  results: (id, query, { limit, ...options } = {}) =>
    pagesOf((cursor) => client.call('batches.rows', { id, ...query, results: 'true', cursor, limit }, options)),
  retryRow: (id, row, options) => client.call('batches.retryRow', { id, row }, options),
  cancel: (id, options) => client.call('batches.cancel', { id }, options),
  retryFailed: (id, options) => client.call('batches.retryFailed', { id }, options),
  remove: (id, options) => client.call('batches.delete', { id }, options),
});

const fileOf = ({ name, content }: BatchTable): NamedFile => ({
  name,
  content: content instanceof Blob ? content : new Blob([content]),
});

/** Bulk actions: one action on many runs. */
export interface BulkResource {
  /** Cancels or retries all runs that match a filter. */
  create(wanted: NewBulkAction & { readonly idempotencyKey?: string } & RequestOptions): Promise<BulkAction>;
  /** Returns the progress of a bulk action. */
  get(id: string, options?: RequestOptions): Promise<BulkAction>;
  /** Lists the bulk actions of the last week, newest first. */
  list(options?: RequestOptions): Pages<BulkAction>;
}

/** Returns the methods of bulk actions. */
export const createBulkResource = (client: Client): BulkResource => ({
  create: ({ idempotencyKey, signal, ...wanted }) => client.call('bulk.create', wanted, { idempotencyKey, signal }),
  get: (id, options) => client.call('bulk.get', { id }, options),
  list: (options) => pagesOf((cursor) => client.call('bulk.list', { cursor }, options)),
});
