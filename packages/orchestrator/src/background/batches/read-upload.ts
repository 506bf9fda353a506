import { extname } from 'node:path';
import { MIMEType } from 'node:util';
import { malformed } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { TableFile } from './table.ts';
import { tableTypes } from './table.ts';

/** A table that came with other fields, such as those of a batch. */
export interface Upload {
  /** The other fields, in the form of JSON. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly file: TableFile;
}

/** Fields that are texts, unless they are JSON objects, as the text of a workflow may be; all others are JSON. */
const texts: ReadonlySet<string> = new Set(['id', 'workflow', 'compat']);

/**
 * Receives a form with a table and other fields, or a table whose fields are in the URL; undefined if the request contains
 * JSON. Throws RequestError if there is no table.
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
  let file: TableFile | undefined;
  for await (const part of request.parts()) {
    if (part.type === 'file') file = { name: part.filename, content: await part.toBuffer() };
    else fields.set(part.fieldname, fieldValue(part.fieldname, String(part.value)));
  }
  if (fields.has('rows')) {
    throw malformed('form', [{ pointer: '/rows', detail: 'goes with no file; send the one or the other' }]);
  }
  if (file === undefined) throw new RequestError('FILE_MISSING', 'No part of this form is a file.');
  return { fields: Object.fromEntries(fields), file };
}

function readWhole({ headers, query }: FastifyRequest, content: Buffer): Upload {
  const type = headers['content-type'] ?? '';
  const ending = Object.entries(tableTypes).find(([, known]) => type.startsWith(known))?.[0] ?? extname(type);
  const written = Object.entries(query as Readonly<Record<string, unknown>>); // texts, or lists of them
  const fields = Object.fromEntries(written.map(([name, value]) => [name, fieldValue(name, String(value))]));
  const charset = new MIMEType(type).params.get('charset') ?? undefined;
  return { fields, file: { name: `table${ending}`, content, charset } };
}

function fieldValue(name: string, text: string): unknown {
  if (texts.has(name) && !text.startsWith('{')) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RequestError('BATCH_INVALID', `The field ${name} beside the table is not JSON.`);
  }
}
