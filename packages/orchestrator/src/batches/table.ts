import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import { RequestError } from '@millrace/core';
import type { ParsedRow } from './parsed-row.ts';
import { readCsv, readXlsx } from './read-table.ts';

/** A table as somebody sent it: what of it is to be done, and its digest, to tell it from others. */
export interface Table {
  readonly rows: readonly ParsedRow[];
  readonly digest: string;
}

/** Kinds of tables, by the endings of their names, and what they are called where there are no names. */
export const tableTypes = {
  '.csv': 'text/csv',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** Reads a table of the kind that the ending of its name says. Throws RequestError when it is none. */
export async function readTable(name: string, file: Buffer): Promise<Table> {
  const kind = extname(name).toLowerCase();
  const read = kind === '.xlsx' ? readXlsx : kind === '.csv' ? readCsv : undefined;
  if (read === undefined) throw new RequestError('BATCH_INVALID', `"${name}" is neither a .csv nor a .xlsx file.`);
  return { rows: await read(file), digest: createHash('sha256').update(kind).update(file).digest('hex') };
}
