import { RequestError } from '@millrace/core';
import { parse } from 'csv-parse/sync';
import type { ParsedRow, RawRow } from './parsed-row.ts';
import { columns, createRowReader } from './parsed-row.ts';
import { readWorkbook } from './read-workbook.ts';

/** Rows that a batch may have. */
export const rowLimit = 50_000;

/** Rows that came as JSON. Throws RequestError when there are none, or too many. */
export const readRows = (rows: readonly RawRow[]): readonly ParsedRow[] => limited(rows.map(createRowReader()));

/** The rows of a CSV file with a header, in UTF-8. Throws RequestError when it is no table of rows. */
export function readCsv(file: Buffer): readonly ParsedRow[] {
  const read = createRowReader();
  const rows: ParsedRow[] = [];
  let header: readonly string[] = [];
  parse(new TextDecoder('utf-8').decode(file), {
    bom: true,
    skip_empty_lines: true,
    relax_column_count: true,
    skip_records_with_error: true,
    columns: (names: readonly string[]) => {
      header = headerOf(names);
      return [...header];
    },
    on_skip: (error) => {
      rows.push({ type: 'problem', problem: `It cannot be read: ${error?.message ?? 'it is no record'}.` });
      return undefined;
    },
    on_record: (record: RawRow, { error }) => {
      rows.push(
        error === undefined ? read(record) : { type: 'problem', problem: `It does not have ${header.length} columns.` },
      );
      // What is read is kept here, in order with what could not be read.
      return null;
    },
  });
  return limited(rows);
}

/** The rows of the first sheet of an Excel file (XLSX) with a header. Throws RequestError when it is no table of rows. */
export async function readXlsx(file: Buffer): Promise<readonly ParsedRow[]> {
  const [names, ...cells] = await readWorkbook(file);
  const header = headerOf((names ?? []).map((name) => String(name ?? '')));
  const read = createRowReader();
  return limited(cells.map((row) => read(Object.fromEntries(header.map((name, at) => [name, row[at] ?? ''])))));
}

function headerOf(names: readonly string[]): readonly string[] {
  const header = names.map((name) => name.trim().toLowerCase());
  const known: readonly string[] = columns;
  const unknown = header.filter((name) => !known.includes(name));
  const twice = header.filter((name, at) => header.indexOf(name) !== at);
  if (unknown.length > 0 || twice.length > 0 || (!header.includes('input') && !header.includes('task'))) {
    throw new RequestError(
      'BATCH_INVALID',
      `The first line must name the columns: input (or task), and id, vars and attachments if there are any; not "${names.join(', ')}".`,
    );
  }
  return header;
}

function limited(rows: readonly ParsedRow[]): readonly ParsedRow[] {
  if (rows.length > 0 && rows.length <= rowLimit) return rows;
  throw new RequestError(
    'BATCH_INVALID',
    rows.length === 0 ? 'There are no rows.' : `There are ${rows.length} rows; a batch may have ${rowLimit}.`,
  );
}
