import { randomBytes } from 'node:crypto';
import multipart from '@fastify/multipart';
import type { Namespace, Batch as StoredBatch } from '@millrace/runtime';
import type { FastifyRequest } from 'fastify';
import type { Api } from '../api.ts';
import type { ParsedRow } from '../batches/parsed-row.ts';
import { readRows } from '../batches/read-table.ts';
import { readUpload } from '../batches/read-upload.ts';
import { retryFailed } from '../batches/retry-failed.ts';
import {
  Batch,
  BatchLineOfList,
  BatchList,
  BatchListQuery,
  BatchPath,
  BatchRowList,
  BatchRowQuery,
  batchLineOf,
  linesOf,
  NewBatch,
  rowOf,
} from '../contracts/batch.ts';
import { problems } from '../contracts/problem.ts';
import { requestOf } from '../run-request.ts';
import type { Server } from '../server.ts';

/** A table may have as much as a file that is uploaded. */
const bodyLimit = 32 * 1024 * 1024;

/** Many runs of one workflow. */
export function addBatchRoutes(server: Server, api: Api): void {
  void server.register((scope, _options, done) => {
    void scope.register(multipart, { limits: { files: 1, fields: 20, parts: 21, fileSize: bodyLimit } });
    addMake(scope as unknown as Server, api); // it is this server, seen from a context of its own
    done();
  });
  addReads(server);
  addOrders(server, api);
}

/** What was read of a form, for the request that brought it. */
const tables = new WeakMap<FastifyRequest, readonly ParsedRow[]>();

function addMake(server: Server, { vocabulary, webhookReach, batches }: Api): void {
  const make = async (space: Namespace, { rows, run, ...wanted }: Wanted) => {
    // A workflow may need variables that only rows have.
    const first = rows.flatMap((row) => (row.type === 'work' ? [row.work.vars] : []))[0];
    const sample = { ...run, input: '', attachments: [], vars: { ...run.vars, ...first } };
    await requestOf(sample, { space, vocabulary, webhookReach });
    return space.batches.create({ ...wanted, run, total: rows.length }, linesOf(rows));
  };
  server.post(
    '/v1/batches',
    {
      bodyLimit,
      config: { demand: 'run' },
      async preValidation(request) {
        if (!request.isMultipart()) return;
        const { fields, rows } = await readUpload(request);
        tables.set(request, rows);
        // What is missing or wrong in it is found when it is checked, which is next.
        request.body = fields as NewBatch;
      },
      schema: {
        summary: 'Start a run for each row of a table',
        description:
          'As JSON with `rows`, or as multipart/form-data with the other fields (all but `workflow`, `id` and `compat` in JSON) and a file, which is CSV in UTF-8 or XLSX with a header.',
        consumes: ['application/json', 'multipart/form-data'],
        body: NewBatch,
        response: { 201: Batch, 200: Batch.describe('The batch of this id had been made before.'), ...problems },
      },
    },
    async (request, reply) => {
      const { caller, seed, body } = request;
      const { space } = caller;
      const { id = seed === undefined ? freshId() : `batch_${seed.slice(0, 24)}`, parallel, rows, ...run } = body;
      const before = await space.batches.read(id);
      const batch = before ?? (await make(space, { id, run, parallel, rows: tables.get(request) ?? readRows(rows) }));
      await batches.push({ tenant: space.tenant, id });
      return reply
        .code(before === undefined ? 201 : 200)
        .header('location', `/v1/batches/${id}`)
        .send(await shown(space, batch));
    },
  );
}

interface Wanted {
  readonly id: string;
  readonly parallel: number;
  readonly run: Omit<NewBatch, 'id' | 'parallel' | 'rows'>;
  readonly rows: readonly ParsedRow[];
}

/** In descending order of when it is made, so that lists begin with the newest. */
const freshId = (): string =>
  `batch_${(999_999_999_999_999 - Date.now()).toString(36)}${randomBytes(6).toString('hex')}`;

const shown = async ({ batches }: Namespace, batch: StoredBatch) => ({
  ...batchLineOf(batch),
  rows: { ...(await batches.rows.counts(batch.id)) },
});

function addReads(server: Server): void {
  server.get(
    '/v1/batches',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The batches of the tenant',
        querystring: BatchListQuery,
        response: { 200: BatchList, ...problems },
      },
    },
    async ({ caller: { space }, query: { limit, cursor = '' } }) => {
      const found = await space.batches.list(cursor, limit + 1);
      const data = found.slice(0, limit).map(batchLineOf);
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
  );
  server.get(
    '/v1/batches/:id',
    {
      config: { demand: 'read' },
      schema: { summary: 'How a batch stands', params: BatchPath, response: { 200: Batch, ...problems } },
    },
    async ({ caller: { space }, params: { id } }) => shown(space, await space.batches.find(id)),
  );
  server.get(
    '/v1/batches/:id/rows',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The rows of a batch',
        params: BatchPath,
        querystring: BatchRowQuery,
        response: { 200: BatchRowList, ...problems },
      },
    },
    async ({ caller: { space }, params: { id }, query: { limit, cursor, status } }) => {
      const { total } = await space.batches.find(id);
      const { rows } = space.batches;
      const wanted =
        status === undefined
          ? Array.from({ length: Math.max(0, Math.min(limit + 1, total - cursor)) }, (_, at) => cursor + at + 1)
          : await rows.page(id, status, { after: cursor, limit: limit + 1 });
      const lines = await rows.read(id, wanted.slice(0, limit));
      const next = wanted.length > limit ? wanted[limit - 1] : undefined;
      return { data: lines.map((line) => rowOf(id, line)), nextCursor: next === undefined ? null : String(next) };
    },
  );
}

function addOrders(server: Server, { batches, now }: Api): void {
  server.delete(
    '/v1/batches/:id',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Forget a batch that is finished; its runs stay',
        params: BatchPath,
        response: { 200: BatchLineOfList, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }) => batchLineOf(await space.batches.remove(id)),
  );
  server.post(
    '/v1/batches/:id/cancel',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Start no more rows of a batch, and cancel those at work',
        params: BatchPath,
        response: { 202: Batch, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }, reply) => {
      const batch = await space.batches.change(id, (one) =>
        one.cancelledAt === undefined && one.finishedAt === undefined ? { ...one, cancelledAt: now() } : undefined,
      );
      await batches.push({ tenant: space.tenant, id });
      return reply.code(202).send(await shown(space, batch));
    },
  );
  server.post(
    '/v1/batches/:id/retry-failed',
    {
      config: { demand: 'run' },
      schema: {
        summary: 'Go on with the rows of a batch that have failed or were terminated',
        params: BatchPath,
        response: { 202: Batch, ...problems },
      },
    },
    async ({ caller: { space }, params: { id } }, reply) => {
      await retryFailed(space.batches, id);
      await batches.push({ tenant: space.tenant, id });
      return reply.code(202).send(await shown(space, await space.batches.find(id)));
    },
  );
}
