import type { Client, OperationInput, RequestOptions } from '../client.ts';
import type { Batch, BatchLine, BatchRow, NewBatch } from '../generated/schemas.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import type { Uploadable } from './files.ts';

/** Options of a batch: the rows or a table of them, and what all of their runs have in common. */
export interface BatchOptions extends Omit<NewBatch, 'workflow'>, RequestOptions {
  /** A table with a header, in place of `rows`: CSV or XLSX, as the ending of its name says. */
  readonly table?: BatchTable;
  /** Made again under the same key within a day, it is the same batch. */
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
  get(id: string, options?: RequestOptions): Promise<Batch>;
  list(options?: RequestOptions): Pages<BatchLine>;
  rows(id: string, query?: RowQuery, options?: RequestOptions): Pages<BatchRow>;
  /** Starts no more rows, and cancels the runs that there are. */
  cancel(id: string, options?: RequestOptions): Promise<Batch>;
  retryFailed(id: string, options?: RequestOptions): Promise<Batch>;
  remove(id: string, options?: RequestOptions): Promise<BatchLine>;
}

/** Makes the methods of batches. */
export const createBatchesResource = (client: Client): BatchesResource => ({
  start(workflow, { idempotencyKey, signal, table, ...options }) {
    const file = table === undefined ? {} : { file: { name: table.name, content: blobOf(table.content) } };
    return client.call('batches.create', { workflow, ...options, ...file }, { idempotencyKey, signal });
  },
  get: (id, options) => client.call('batches.get', { id }, options),
  list: (options) => pagesOf((cursor) => client.call('batches.list', { cursor }, options)),
  rows: (id, query = {}, options) =>
    pagesOf((cursor) => client.call('batches.rows', { id, ...query, cursor }, options)),
  cancel: (id, options) => client.call('batches.cancel', { id }, options),
  retryFailed: (id, options) => client.call('batches.retryFailed', { id }, options),
  remove: (id, options) => client.call('batches.delete', { id }, options),
});

const blobOf = (content: Uploadable): Blob => (content instanceof Blob ? content : new Blob([content]));
