import { operation } from '../operation/operation.ts';
import {
  Batch,
  BatchLine,
  BatchList,
  BatchListQuery,
  BatchPath,
  BatchRowList,
  BatchRowQuery,
  batchLineOf,
  batchRowOf,
  NewBatch,
} from './batch.ts';
import { batchOf, createBatch } from './create-batch.ts';
import { retryFailed } from './retry-failed.ts';

export const listBatches = operation({
  name: 'batches.list',
  method: 'GET',
  path: '/v1/batches',
  scope: 'read',
  summary: 'The batches of the tenant',
  query: BatchListQuery,
  output: BatchList,
  async run({ tenant }, { limit, cursor = '' }) {
    const found = await tenant.batches.list(cursor, limit + 1);
    const data = found.slice(0, limit).map(batchLineOf);
    return { body: { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null } };
  },
});

export const startBatch = operation({
  name: 'batches.create',
  method: 'POST',
  path: '/v1/batches',
  sharesPath: true,
  scope: 'run',
  summary: 'Start a run for each row of a table',
  body: NewBatch,
  example: {
    workflow: 'report',
    parallel: 5,
    rows: [
      { id: 'north', input: 'Region north' },
      { id: 'south', input: 'Region south' },
    ],
  },
  output: Batch,
  status: 201,
  responses: { 200: Batch.describe('A batch of this id already existed.') },
  upload: 'optional',
  needs: 'redis',
  async run(context, { file, ...wanted }) {
    const rows = await (file === undefined ? context.tables.ofRows(wanted.rows) : context.tables.read(file));
    const { batch, isNew } = await createBatch(context, wanted, rows);
    return { body: batch, status: isNew ? 201 : 200, headers: { location: `/v1/batches/${batch.id}` } };
  },
});

export const getBatch = operation({
  name: 'batches.get',
  method: 'GET',
  path: '/v1/batches/:id',
  scope: 'read',
  summary: 'The state of a batch',
  params: BatchPath,
  output: Batch,
  run: async (context, { id }) => ({ body: await batchOf(context, await context.tenant.batches.find(id)) }),
});

export const listRows = operation({
  name: 'batches.rows',
  method: 'GET',
  path: '/v1/batches/:id/rows',
  scope: 'read',
  summary: 'The rows of a batch',
  params: BatchPath,
  query: BatchRowQuery,
  output: BatchRowList,
  async run({ tenant: { batches } }, { id, limit, cursor, status }) {
    const batch = await batches.find(id);
    const { rows } = batches;
    const wanted =
      status === undefined
        ? Array.from({ length: Math.max(0, Math.min(limit + 1, batch.total - cursor)) }, (_, at) => cursor + at + 1)
        : await rows.page(batch, status, { after: cursor, limit: limit + 1 });
    const lines = await rows.read(batch, wanted.slice(0, limit));
    const next = wanted.length > limit ? wanted[limit - 1] : undefined;
    return { body: { data: lines.map(batchRowOf), nextCursor: next === undefined ? null : String(next) } };
  },
});

export const deleteBatch = operation({
  name: 'batches.delete',
  method: 'DELETE',
  path: '/v1/batches/:id',
  scope: 'run',
  summary: 'Delete a finished batch; its runs stay',
  params: BatchPath,
  output: BatchLine,
  run: async ({ tenant }, { id }) => ({ body: batchLineOf(await tenant.batches.remove(id)) }),
});

export const cancelBatch = operation({
  name: 'batches.cancel',
  method: 'POST',
  path: '/v1/batches/:id/cancel',
  scope: 'run',
  summary: 'Cancel a batch: start no more rows, and cancel those in progress',
  params: BatchPath,
  output: Batch,
  status: 202,
  needs: 'redis',
  async run(context, { id }) {
    const { tenant, now } = context;
    const { background } = context;
    const batch = await tenant.batches.change(id, (one) =>
      one.cancelledAt === undefined && one.finishedAt === undefined ? { ...one, cancelledAt: now() } : undefined,
    );
    await background.batches.push({ tenant: tenant.tenant, id });
    return { body: await batchOf(context, batch) };
  },
});

export const retryFailedRows = operation({
  name: 'batches.retryFailed',
  method: 'POST',
  path: '/v1/batches/:id/retry-failed',
  scope: 'run',
  summary: 'Retry the rows of a batch that failed or were terminated',
  params: BatchPath,
  output: Batch,
  status: 202,
  needs: 'redis',
  async run(context, { id }) {
    const { tenant } = context;
    const { background } = context;
    await retryFailed(tenant.batches, id);
    await background.batches.push({ tenant: tenant.tenant, id });
    return { body: await batchOf(context, await tenant.batches.find(id)) };
  },
});
