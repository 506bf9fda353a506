import type { ParsedRow, RawRow } from '@millrace/api';
import { readWorkbook } from './read-workbook.ts';
import { createRowList } from './row-list.ts';
import { headerOf, rawRow } from './table-header.ts';

/** Rows that came as JSON. Throws RequestError when there are none, or too many. */
export function readRows(raws: Iterable<RawRow>): readonly ParsedRow[] {
  const rows = createRowList();
  for (const raw of raws) rows.add(raw);
  return rows.all();
}

/** The rows of the first sheet of an Excel file (XLSX) with a header. Throws RequestError when it is no table of rows. */
export async function readXlsx(file: Buffer): Promise<readonly ParsedRow[]> {
  const [names, ...cells] = await readWorkbook(file);
  const header = headerOf((names ?? []).map((name) => String(name ?? '')));
  return readRows(cells.map((row) => rawRow(header, row)));
}
