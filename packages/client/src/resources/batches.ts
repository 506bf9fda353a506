import type { Batch, BatchLine, BatchRow, BatchRowQueryInput, NewBatchInput } from '@millrace/api';
import type { Http } from '../http/http.ts';
import type { Page, Pages } from '../http/pages.ts';
import { pagesOf } from '../http/pages.ts';
import type { Uploadable } from './files.ts';
import { uploadTimeoutMs } from './files.ts';

/** What a batch is made with: the rows or a table of them, and what all of their runs have in common. */
export interface BatchOptions extends Omit<NewBatchInput, 'workflow'> {
  /** A table with a header, in place of `rows`: CSV or XLSX, as the ending of its name says. */
  readonly table?: BatchTable;
  /** Made again under the same key within a day, it is the same batch. */
  readonly idempotencyKey?: string;
}

/** A file that is a table. */
export interface BatchTable {
  readonly name: string;
  readonly content: Uploadable;
}

/** Which rows are listed. */
export type RowQuery = Partial<Pick<BatchRowQueryInput, 'status'>>;

/** Many runs of one workflow, a row of a table each. */
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

/** The batches of a tenant. */
export function createBatchesResource(http: Http): BatchesResource {
  const at = (id: string): string => `v1/batches/${encodeURIComponent(id)}`;
  return {
    start(workflow, { idempotencyKey, table, ...options }) {
      const fields = { workflow, ...options };
      const body = table === undefined ? { json: fields } : { form: formOf(fields, table), patience: uploadTimeoutMs };
      return http.json('v1/batches', { method: 'POST', ...body, idempotencyKey });
    },
    get: (id) => http.json(at(id)),
    list: () => pagesOf((cursor) => http.json<Page<BatchLine>>('v1/batches', { query: { cursor } })),
    rows: (id, query = {}) =>
      pagesOf((cursor) => http.json<Page<BatchRow>>(`${at(id)}/rows`, { query: { ...query, cursor } })),
    cancel: (id) => http.json(`${at(id)}/cancel`, { method: 'POST' }),
    retryFailed: (id) => http.json(`${at(id)}/retry-failed`, { method: 'POST' }),
    remove: (id) => http.json(at(id), { method: 'DELETE' }),
  };
}

/** A form as the API takes it: texts as they are, and everything else in JSON. */
function formOf(fields: Readonly<Record<string, unknown>>, { name, content }: BatchTable): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(field, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set('file', content instanceof Blob ? content : new Blob([content]), name);
  return form;
}
