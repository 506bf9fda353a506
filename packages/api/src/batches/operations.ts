import { textOf } from '@millrace/core';
import type { BatchLine, TenantRuntime } from '@millrace/runtime';
import { templateFlags } from '../operation/cli-line.ts';
import { operation } from '../operation/operation.ts';
import { cutPage } from '../schemas/page.ts';
import type { BatchRow } from './batch.ts';
import {
  Batch,
  BatchList,
  BatchListQuery,
  BatchPath,
  BatchRowList,
  BatchRowPath,
  BatchRowQuery,
  batchRowOf,
  NewBatch,
  NewPreview,
  TablePreview,
  workIn,
} from './batch.ts';
import { createBatch, describeBatch } from './create-batch.ts';
import { previewOf } from './preview-table.ts';
import { retryFailed, retryRow } from './retry-failed.ts';

export const listBatches = operation({
  name: 'batches.list',
  method: 'GET',
  path: '/v1/batches',
  scope: 'read',
  summary: 'The batches of the tenant',
  query: BatchListQuery,
  output: BatchList,
  async run(context, { limit, cursor = '' }) {
    const found = await context.tenant.batches.list(cursor, limit + 1);
    const { page, nextCursor } = cutPage(found, limit, ({ id }) => id);
    return { body: { data: await Promise.all(page.map((batch) => describeBatch(context, batch))), nextCursor } };
  },
});

export const startBatch = operation({
  name: 'batches.create',
  method: 'POST',
  path: '/v1/batches',
  cli: `batch start <workflow:workflow.yaml> <file> [--id id] [--parallel parallel] ${templateFlags()} [--column columns]`,
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
    const rows = await (file === undefined
      ? context.tables.ofRows(wanted.rows)
      : context.tables.read(file, context.tenant.tenant, wanted.columns));
    const { batch, isNew } = await createBatch(context, wanted, rows);
    return { body: batch, status: isNew ? 201 : 200, headers: { location: `/v1/batches/${batch.id}` } };
  },
});

export const previewBatch = operation({
  name: 'batches.preview',
  method: 'POST',
  path: '/v1/batches/preview',
  sharesPath: true,
  scope: 'run',
  summary: 'Read a table as a batch would, and start nothing',
  body: NewPreview,
  example: { columns: { Question: 'input', City: 'vars.city' } },
  output: TablePreview,
  upload: 'required',
  idempotency: 'needless',
  run: async ({ tables, tenant: { tenant } }, { file, columns }) => ({
    body: previewOf(await tables.preview(file, tenant, columns)),
  }),
});

export const getBatch = operation({
  name: 'batches.get',
  method: 'GET',
  path: '/v1/batches/:id',
  scope: 'read',
  summary: 'The state of a batch',
  params: BatchPath,
  output: Batch,
  run: async (context, { id }) => ({ body: await describeBatch(context, await context.tenant.batches.find(id)) }),
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
  async run({ tenant }, { id, limit, cursor, status, results }) {
    const { batches } = tenant;
    const batch = await batches.find(id);
    const { rows } = batches;
    const wanted =
      status === undefined
        ? Array.from({ length: Math.max(0, Math.min(limit + 1, batch.total - cursor)) }, (_, at) => cursor + at + 1)
        : await rows.page(batch, status, { after: cursor, limit: limit + 1 });
    const lines = await rows.read(batch, wanted.slice(0, limit));
    const next = wanted.length > limit ? wanted[limit - 1] : undefined;
    const data = results === undefined ? lines.map(batchRowOf) : await resultsOf(tenant, lines);
    return { body: { data, nextCursor: next === undefined ? null : String(next) } };
  },
});

export const deleteBatch = operation({
  name: 'batches.delete',
  method: 'DELETE',
  path: '/v1/batches/:id',
  cli: 'batch rm <id>',
  scope: 'run',
  summary: 'Delete a finished batch; its runs stay',
  params: BatchPath,
  output: Batch,
  async run(context, { id }) {
    const { batches } = context.tenant;
    const body = await describeBatch(context, await batches.find(id));
    await batches.remove(id);
    return { body };
  },
});

export const cancelBatch = operation({
  name: 'batches.cancel',
  method: 'POST',
  path: '/v1/batches/:id/cancel',
  cli: 'batch cancel <id>',
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
    return { body: await describeBatch(context, batch) };
  },
});

export const retryFailedRows = operation({
  name: 'batches.retryFailed',
  method: 'POST',
  path: '/v1/batches/:id/retry-failed',
  cli: 'batch retry <id>',
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
    return { body: await describeBatch(context, await tenant.batches.find(id)) };
  },
});

export const retryOneRow = operation({
  name: 'batches.retryRow',
  method: 'POST',
  path: '/v1/batches/:id/rows/:row/retry',
  cli: 'batch retry <id> --row <row>',
  scope: 'run',
  summary: 'Retry one row of a batch that failed or was terminated',
  params: BatchRowPath,
  output: Batch,
  status: 202,
  needs: 'redis',
  async run(context, { id, row }) {
    const { tenant, background } = context;
    await retryRow(tenant.batches, id, row);
    await background.batches.push({ tenant: tenant.tenant, id });
    return { body: await describeBatch(context, await tenant.batches.find(id)) };
  },
});

/** Number of runs that are read at a time. */
const atOnce = 20;

/** Returns rows with their inputs and the outputs of their runs. */
async function resultsOf(tenant: TenantRuntime, lines: readonly BatchLine[]): Promise<BatchRow[]> {
  const results: BatchRow[] = [];
  for (let from = 0; from < lines.length; from += atOnce) {
    const some = await Promise.all(lines.slice(from, from + atOnce).map((line) => resultOf(tenant, line)));
    for (const one of some) results.push(one);
  }
  return results;
}

async function resultOf(tenant: TenantRuntime, line: BatchLine): Promise<BatchRow> {
  const row = batchRowOf(line);
  if (row.status === 'invalid') return row;
  const { input, vars } = workIn(line);
  const run = row.runId === undefined ? undefined : await tenant.run(row.runId).describe('head');
  const output = run?.output === undefined ? null : textOf(run.output);
  return { ...row, input, ...(vars === undefined ? {} : { vars: { ...vars } }), output };
}
