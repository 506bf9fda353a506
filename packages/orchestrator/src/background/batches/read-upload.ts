import { extname } from 'node:path';
import { MIMEType } from 'node:util';
import { malformed } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { Table } from './table.ts';
import { readTable, tableTypes } from './table.ts';

/** A batch that came as a table, with its other fields. */
export interface Upload {
  /** Fields of the batch, in the form of JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly table: Table;
}

/** Fields that are texts, unless they are JSON objects, as the text of a workflow may be; all others are JSON. */
const texts: ReadonlySet<string> = new Set(['id', 'workflow', 'compat']);

/**
 * Reads a form with the fields of a batch and a table, or a table whose fields are in the URL; undefined if the request
 * contains JSON. Throws RequestError if there is no table that can be read.
 */
export async function readUpload(request: FastifyRequest): Promise<Upload | undefined> {
  const { body, query } = request;
  if (Buffer.isBuffer(body)) return readWhole(request, body);
  if (Object.keys(query as object).length > 0) {
    throw new RequestError('BATCH_INVALID', 'Query parameters are accepted only with a table as the whole body.');
  }
  return request.isMultipart() ? readForm(request) : undefined;
}

async function readForm(request: FastifyRequest): Promise<Upload> {
  const fields = new Map<string, unknown>();
  let table: Table | undefined;
  for await (const part of request.parts()) {
    if (part.type === 'file') table = await readTable({ name: part.filename, content: await part.toBuffer() });
    else fields.set(part.fieldname, fieldValue(part.fieldname, String(part.value)));
  }
  if (fields.has('rows')) {
    throw malformed('form', [{ pointer: '/rows', detail: 'goes with no file; send the one or the other' }]);
  }
  if (table === undefined) throw new RequestError('FILE_MISSING', 'No part of this form is a file.');
  return { fields: Object.fromEntries(fields), table };
}

async function readWhole({ headers, query }: FastifyRequest, content: Buffer): Promise<Upload> {
  const type = headers['content-type'] ?? '';
  const ending = Object.entries(tableTypes).find(([, known]) => type.startsWith(known))?.[0] ?? extname(type);
  const written = Object.entries(query as Readonly<Record<string, unknown>>); // texts, or lists of them
  const fields = Object.fromEntries(written.map(([name, value]) => [name, fieldValue(name, String(value))]));
  const charset = new MIMEType(type).params.get('charset') ?? undefined;
  return { fields, table: await readTable({ name: `table${ending}`, content, charset }) };
}

function fieldValue(name: string, text: string): unknown {
  if (texts.has(name) && !text.startsWith('{')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RequestError('BATCH_INVALID', `The field ${name} beside the table is not JSON.`);
  }
}
