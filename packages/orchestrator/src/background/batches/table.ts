import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { ParsedRow } from '@millrace/api';
import { RequestError } from '@millrace/core';
import { readCsv } from './read-csv.ts';
import { readWorkbook } from './read-workbook.ts';
import { readRows } from './row-list.ts';
import { headerOf, rawRow } from './table-header.ts';

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

/** A file with a table. */
export interface TableFile {
  /** Its ending says what kind it is. */
  readonly name: string;
  readonly content: Buffer;
  /** What a CSV file is written in; absent: UTF-8. */
  readonly charset?: string | undefined;
}

/** Reads a table. Throws RequestError when it is none. */
export async function readTable({ name, content, charset = 'utf-8' }: TableFile): Promise<Table> {
  const kind = extname(name).toLowerCase();
  if (kind !== '.csv' && kind !== '.xlsx')
    throw new RequestError('BATCH_INVALID', `"${name}" is neither a .csv nor a .xlsx file.`);
  const rows = kind === '.csv' ? await readCsv(content, charset) : await readXlsx(content);
  return { rows, digest: createHash('sha256').update(`${kind} ${charset}`).update(content).digest('hex') };
}

/** Reads the rows of the first sheet of an Excel file with a header. */
async function readXlsx(file: Buffer): Promise<readonly ParsedRow[]> {
  const [names, ...cells] = await readWorkbook(file);
  const header = headerOf((names ?? []).map((name) => String(name ?? '')));
  return readRows(cells.map((row) => rawRow(header, row)));
}
