import type { Client, OperationInput } from '../client.ts';
import type { Batch, BatchLine, BatchRow, NewBatch } from '../generated/types.ts';
import type { Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import type { Uploadable } from './files.ts';

/** Options of a batch: the rows or a table of them, and what all of their runs have in common. */
export interface BatchOptions extends Omit<NewBatch, 'workflow'> {
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
  get(id: string): Promise<Batch>;
  list(): Pages<BatchLine>;
  rows(id: string, query?: RowQuery): Pages<BatchRow>;
  /** Starts no more rows, and cancels the runs that there are. */
  cancel(id: string): Promise<Batch>;
  retryFailed(id: string): Promise<Batch>;
  remove(id: string): Promise<BatchLine>;
}

/** Makes the methods of batches. */
export const createBatchesResource = (client: Client): BatchesResource => ({
  start(workflow, { idempotencyKey, table, ...options }) {
    const file = table === undefined ? {} : { file: { name: table.name, content: blobOf(table.content) } };
    return client.call('batches.create', { workflow, ...options, ...file }, { idempotencyKey });
  },
  get: (id) => client.call('batches.get', { id }),
  list: () => pagesOf((cursor) => client.call('batches.list', { cursor })),
  rows: (id, query = {}) => pagesOf((cursor) => client.call('batches.rows', { id, ...query, cursor })),
  cancel: (id) => client.call('batches.cancel', { id }),
  retryFailed: (id) => client.call('batches.retryFailed', { id }),
  remove: (id) => client.call('batches.delete', { id }),
});

const blobOf = (content: Uploadable): Blob => (content instanceof Blob ? content : new Blob([content]));
