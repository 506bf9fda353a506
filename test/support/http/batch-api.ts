import { setTimeout as sleep } from 'node:timers/promises';
import type { RunLimits } from '@millrace/core';
import type { ServedApi } from './api.ts';
import { serveApi } from './api.ts';
import type { ApiResponse } from './http.ts';

/** Two HTTP APIs of one installation, seen by a tenant that makes batches. */
export interface BatchApi {
  readonly api: ServedApi;
  /** API key of the tenant. */
  readonly key: string;
  get(path: string, by?: string): Promise<ApiResponse>;
  /** Makes a batch of rows. */
  make(body: object, by?: string): Promise<ApiResponse>;
  /** Makes a batch of a file in a form. */
  upload(
    name: string,
    file: string | Uint8Array<ArrayBufferLike>,
    fields: Record<string, string>,
  ): Promise<AnsweredBatch>;
  /** Makes a batch of a body that is a table by itself. */
  sendTable(query: string, type: string, table: Table): Promise<AnsweredBatch>;
  /** Waits until a batch satisfies a condition, and returns it. */
  until(id: string, isWanted: (batch: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  finished(id: string): Promise<Record<string, unknown>>;
  rowsOf(id: string, query?: string): Promise<BatchRow[]>;
  /** Deletes a batch; the status of the answer. */
  forget(id: string): Promise<number>;
  close(): Promise<void>;
}

/** A row of a batch, as the API shows it. */
export interface BatchRow {
  readonly row: number;
  readonly id?: string;
  readonly status: string;
  readonly runId?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A batch, or a problem. */
interface AnsweredBatch {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface Table {
  readonly body: string | Uint8Array;
  readonly headers?: Record<string, string>;
}

/** Serves the API, and publishes these workflows, which are texts in YAML by name. */
export async function serveBatches(
  workflows: Readonly<Record<string, string>>,
  limits: Partial<RunLimits> = {},
): Promise<BatchApi> {
  const api = await serveApi({ limits });
  await api.another();
  const key = await api.keyOf('acme', 'run', 'read');
  const headers = { authorization: `Bearer ${key}` };
  const send = (path: string, init: RequestInit) =>
    fetch(`${api.orchestrator.url}/v1/${path}`, { ...init, headers: { ...headers, ...init.headers } });
  const post = async (path: string, init: RequestInit): Promise<AnsweredBatch> => {
    const response = await send(path, { method: 'POST', ...init });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }; // the contract's
  };
  for (const [name, yaml] of Object.entries(workflows)) {
    const json = { 'content-type': 'application/json' };
    await send(`workflows/${name}`, { method: 'PUT', headers: json, body: JSON.stringify({ yaml }) });
  }
  return {
    api,
    key,
    make: (body, by = key) => api.ask(by, '/v1/batches', body),
    upload(name, file, fields) {
      const form = new FormData();
      for (const [field, value] of Object.entries(fields)) form.set(field, value);
      form.set('file', new Blob([Buffer.from(file)]), name);
      return post('batches', { body: form });
    },
    sendTable: (query, type, { body, headers }) =>
      post(`batches${query === '' ? '' : `?${query}`}`, {
        headers: { 'content-type': type, ...headers },
        body: Buffer.from(body),
      }),
    forget: async (id) => (await send(`batches/${id}`, { method: 'DELETE' })).status,
    ...readsOf((path, by = key) => api.ask(by, path)),
    close: () => api.close(),
  };
}

function readsOf(get: BatchApi['get']): Pick<BatchApi, 'get' | 'until' | 'finished' | 'rowsOf'> {
  const until: BatchApi['until'] = async (id, isWanted) => {
    for (;;) {
      const { body } = await get(`/v1/batches/${id}`);
      if (isWanted(body)) return body;
      await sleep(10);
    }
  };
  return {
    get,
    until,
    finished: (id) => until(id, ({ status }) => status === 'finished'),
    async rowsOf(id, query = '') {
      const rows: BatchRow[] = [];
      for (let cursor: unknown = '0'; cursor !== null; ) {
        const { body } = await get(`/v1/batches/${id}/rows?limit=80&cursor=${String(cursor)}${query}`);
        rows.push(...(body['data'] as BatchRow[])); // the contract's
        cursor = body['nextCursor'];
      }
      return rows;
    },
  };
}
