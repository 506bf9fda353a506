import multipart from '@fastify/multipart';
import {
  assertRedis,
  createBatch,
  NewBatch,
  NewPreview,
  previewBatch,
  previewOf,
  problems,
  RowColumns,
  startBatch,
  TableQuery,
} from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import { readUpload } from '../background/batches/read-upload.ts';
import type { Table } from '../background/batches/table.ts';
import { readTable, tableTypes } from '../background/batches/table.ts';
import { readRows } from '../background/batches/table-header.ts';
import type { RouteContext } from '../context/route-context.ts';
import { contextFor } from '../http/add-operations.ts';
import type { Server } from '../http/server.ts';

/** Maximum size of a table, in bytes, as for uploaded files; rows in JSON have the limit of bodies. */
const tableLimit = 32 * 1024 * 1024;
/** Maximum size of a form field, in bytes; it has room for the text of a workflow. */
const fieldSize = 4 * 1024 * 1024;

/** Adds the routes of batches, which run one workflow many times. */
export function addBatchRoutes(server: Server, api: RouteContext): void {
  void server.register((scope, _options, done) => {
    void scope.register(multipart, { limits: { files: 1, fields: 20, parts: 21, fileSize: tableLimit, fieldSize } });
    const asBuffer = { parseAs: 'buffer', bodyLimit: tableLimit } as const;
    scope.addContentTypeParser(Object.values(tableTypes), asBuffer, (_request, body, parsed) => parsed(null, body));
    // This server in a separate plugin context.
    addMake(scope as unknown as Server, api);
    addPreview(scope as unknown as Server);
    done();
  });
}

/** Tables of requests. */
const tables = new WeakMap<FastifyRequest, Table>();

function addMake(server: Server, api: RouteContext): void {
  server.post(
    '/v1/batches',
    {
      config: { requiredScope: startBatch.scope },
      async preValidation(request) {
        const upload = await readUpload(request);
        if (upload === undefined) return;
        // No table is read for nothing.
        assertRedis(api);
        const { fields, file } = upload;
        // The check that follows finds missing or invalid fields.
        request.body = fields as NewBatch;
        const columns = RowColumns.optional().safeParse(fields['columns']);
        if (!columns.success) return;
        const table = await readTable(file, request.caller.tenant.tenant, { columns: columns.data });
        tables.set(request, table);
        request.digest = table.digest;
      },
      schema: {
        summary: startBatch.summary,
        description:
          'As JSON with `rows`, or as a table with a header: CSV (in UTF-8, or as a body in its charset) or XLSX. A table is a file of multipart/form-data beside the other fields, or the body itself with the other fields in the address; all of them but `workflow`, `id` and `compat` are JSON.',
        consumes: ['application/json', 'multipart/form-data', ...Object.values(tableTypes)],
        querystring: TableQuery,
        body: NewBatch,
        response: { 201: startBatch.output, ...startBatch.responses, ...problems },
      },
    },
    async (request, reply) => {
      const { body } = request;
      const context = contextFor(api, request, reply);
      assertRedis(context);
      const rows = tables.get(request)?.rows ?? readRows(body.rows);
      const { batch, isNew } = await createBatch(context, body, rows);
      return reply
        .code(isNew ? 201 : 200)
        .header('location', `/v1/batches/${batch.id}`)
        .send(batch);
    },
  );
}

function addPreview(server: Server): void {
  server.post(
    '/v1/batches/preview',
    {
      config: { requiredScope: previewBatch.scope, replay: 'needless' },
      async preValidation(request) {
        const upload = await readUpload(request);
        if (upload === undefined) throw new RequestError('FILE_MISSING', 'The request contains no table.');
        const { fields, file } = upload;
        request.body = fields as NewPreview;
        const wanted = NewPreview.safeParse(fields);
        if (!wanted.success) return;
        const { tenant } = request.caller.tenant;
        tables.set(request, await readTable(file, tenant, { ...wanted.data, isPreview: true }));
      },
      schema: {
        summary: previewBatch.summary,
        description: 'As a file of multipart/form-data, or as the body, like the table of POST /v1/batches.',
        consumes: ['multipart/form-data', ...Object.values(tableTypes)],
        querystring: TableQuery.pick({ columns: true }),
        body: NewPreview,
        response: { 200: previewBatch.output, ...problems },
      },
    },
    async (request) => {
      const table = tables.get(request);
      if (table === undefined) throw new Error('A request passed the check of its fields, and has no table.');
      return previewOf(table);
    },
  );
}
