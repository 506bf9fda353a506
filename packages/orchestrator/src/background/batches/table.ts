import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import type { PreviewedTable } from '@millrace/api';
import type { TenantId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import { readCsv } from './read-csv.ts';
import { readWorkbook } from './read-workbook.ts';
import type { HeaderOptions } from './table-header.ts';
import { createRowList, headerOf, previewedRows, rawRow } from './table-header.ts';

/** A table as it was sent: its rows, and the digest that identifies it. */
export interface Table extends PreviewedTable {
  readonly digest: string;
}

/** Media types of tables by file extension, and the file names where requests contain none. */
export const tableTypes = {
  '.csv': 'text/csv',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** A file with a table. */
export interface TableFile {
  /** Its extension determines the type. */
  readonly name: string;
  readonly content: Buffer;
  /** Charset of a CSV file; absent: UTF-8. */
  readonly charset?: string | undefined;
}

/** Reads a table of a tenant. Throws RequestError if the file is not one. */
export async function readTable(file: TableFile, tenant: TenantId, options: HeaderOptions = {}): Promise<Table> {
  const { name, content, charset = 'utf-8' } = file;
  const kind = extname(name).toLowerCase();
  if (kind !== '.csv' && kind !== '.xlsx')
    throw new RequestError('BATCH_INVALID', `"${name}" is neither a .csv nor a .xlsx file.`);
  const read = kind === '.csv' ? await readCsv(content, charset, options) : await readXlsx(content, tenant, options);
  return { ...read, digest: createHash('sha256').update(`${kind} ${charset}`).update(content).digest('hex') };
}

/** Reads the rows of the first sheet of an Excel file with a header. */
async function readXlsx(file: Buffer, tenant: TenantId, options: HeaderOptions): Promise<PreviewedTable> {
  const [names, ...cells] = await readWorkbook(file, tenant);
  const columns = headerOf(
    (names ?? []).map((name) => String(name ?? '')),
    options,
  );
  const rows = createRowList();
  for (const row of cells) rows.add(rawRow(columns, row));
  return {
    columns,
    rows: rows.all(),
    cells: cells.slice(0, previewedRows).map((row) => columns.map((_, at) => String(row[at] ?? ''))),
  };
}
