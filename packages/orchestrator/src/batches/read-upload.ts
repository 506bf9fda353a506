import { extname } from 'node:path';
import { RequestError } from '@millrace/core';
import type { FastifyRequest } from 'fastify';
import type { ParsedRow } from './parsed-row.ts';
import { readCsv, readXlsx } from './read-table.ts';

/** A batch that came as a form. */
export interface Upload {
  /** The fields of the form, as JSON would have them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly rows: readonly ParsedRow[];
}

/** Fields of a form that are texts as they are; all others are JSON. */
const texts: ReadonlySet<string> = new Set(['id', 'workflow', 'compat']);

/** Reads a form with the fields of a batch and a table. Throws RequestError when there is no table that can be read. */
export async function readUpload(request: FastifyRequest): Promise<Upload> {
  const fields: Record<string, unknown> = {};
  let rows: readonly ParsedRow[] | undefined;
  for await (const part of request.parts()) {
    if (part.type === 'file') rows = await readTable(part.filename, await part.toBuffer());
    else fields[part.fieldname] = fieldValue(part.fieldname, String(part.value));
  }
  if (rows === undefined) throw new RequestError('FILE_MISSING', 'No part of this form is a file.');
  return { fields, rows };
}

function readTable(name: string, file: Buffer): readonly ParsedRow[] | Promise<readonly ParsedRow[]> {
  const kind = extname(name).toLowerCase();
  if (kind === '.xlsx') return readXlsx(file);
  if (kind === '.csv') return readCsv(file);
  throw new RequestError('BATCH_INVALID', `"${name}" is neither a .csv nor a .xlsx file.`);
}

function fieldValue(name: string, text: string): unknown {
  if (texts.has(name)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new RequestError('BATCH_INVALID', `The field ${name} of the form is no JSON.`);
  }
}
