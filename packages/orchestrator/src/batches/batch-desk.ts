import type {
  Batch,
  BatchLine,
  BatchList,
  BatchListQuery,
  BatchRowList,
  BatchRowQuery,
  NewBatch,
  ParsedRow,
} from '@millrace/api';
import { batchLineOf, batchRowOf, linesOf, startRequestOf } from '@millrace/api';
import type { Namespace, Batch as StoredBatch } from '@millrace/runtime';
import type { z } from 'zod';
import type { Api } from '../api.ts';
import { freshSeed } from '../seed.ts';
import { retryFailed } from './retry-failed.ts';

/** What can be done with the batches of a tenant, for the API and for commands on the machine itself. All of it throws RequestError. */
export interface BatchDesk {
  /** Makes a batch, unless there is one of its id. */
  make(wanted: NewBatch, rows: readonly ParsedRow[], seed?: string): Promise<Made>;
  get(id: string): Promise<z.output<typeof Batch>>;
  list(query: z.output<typeof BatchListQuery>): Promise<z.output<typeof BatchList>>;
  rows(id: string, query: z.output<typeof BatchRowQuery>): Promise<z.output<typeof BatchRowList>>;
  cancel(id: string): Promise<z.output<typeof Batch>>;
  retryFailed(id: string): Promise<z.output<typeof Batch>>;
  remove(id: string): Promise<z.output<typeof BatchLine>>;
}

/** A batch, and whether it was made just now. */
export interface Made {
  readonly batch: z.output<typeof Batch>;
  readonly isNew: boolean;
}

/** What it is done with. */
export type BatchDeskOptions = Pick<Api, 'reader' | 'assertReachable' | 'batches' | 'now'>;

/** The desk for the batches of a tenant. */
export function batchDesk(
  space: Namespace,
  { reader, assertReachable, batches: { push }, now }: BatchDeskOptions,
): BatchDesk {
  const { tenant, batches } = space;
  const shown = async (batch: StoredBatch) => ({
    ...batchLineOf(batch),
    rows: { ...(await batches.rows.counts(batch)) },
  });
  const create = async ({ id, parallel, run }: Pick<StoredBatch, 'id' | 'parallel'> & Run, rows: Rows) => {
    // A workflow may need variables that only rows have.
    const first = rows.flatMap((row) => (row.type === 'work' ? [row.work.vars] : []))[0];
    const sample = { ...run, input: '', attachments: [], vars: { ...run.vars, ...first } };
    await startRequestOf(sample, { tenant: space, reader, assertReachable });
    return batches.create({ id, run, parallel, total: rows.length }, linesOf(rows));
  };
  return {
    async make({ rows: _read, parallel, id: chosen, ...run }, rows, seed = freshSeed()) {
      const id = chosen ?? `batch_${seed.slice(0, 24)}`;
      const isThere = (await batches.read(id)) !== undefined;
      const made = isThere ? undefined : await create({ id, parallel, run }, rows);
      await push({ tenant, id });
      return { batch: await shown(made ?? (await batches.find(id))), isNew: made !== undefined };
    },
    get: async (id) => shown(await batches.find(id)),
    async list({ limit, cursor = '' }) {
      const found = await batches.list(cursor, limit + 1);
      const data = found.slice(0, limit).map(batchLineOf);
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
    async rows(id, { limit, cursor, status }) {
      const batch = await batches.find(id);
      const { rows } = batches;
      const wanted =
        status === undefined
          ? Array.from({ length: Math.max(0, Math.min(limit + 1, batch.total - cursor)) }, (_, at) => cursor + at + 1)
          : await rows.page(batch, status, { after: cursor, limit: limit + 1 });
      const lines = await rows.read(batch, wanted.slice(0, limit));
      const next = wanted.length > limit ? wanted[limit - 1] : undefined;
      return { data: lines.map(batchRowOf), nextCursor: next === undefined ? null : String(next) };
    },
    async cancel(id) {
      const batch = await batches.change(id, (one) =>
        one.cancelledAt === undefined && one.finishedAt === undefined ? { ...one, cancelledAt: now() } : undefined,
      );
      await push({ tenant, id });
      return shown(batch);
    },
    async retryFailed(id) {
      await retryFailed(batches, id);
      await push({ tenant, id });
      return shown(await batches.find(id));
    },
    remove: async (id) => batchLineOf(await batches.remove(id)),
  };
}

type Rows = readonly ParsedRow[];

interface Run {
  readonly run: Omit<NewBatch, 'id' | 'parallel' | 'rows'>;
}
