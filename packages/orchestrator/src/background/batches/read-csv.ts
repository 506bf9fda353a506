import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { PreviewedTable } from '@millrace/api';
import { markedEncoding, RequestError } from '@millrace/core';
import { parse } from 'csv-parse';
import type { HeaderOptions, TableColumn } from './table-header.ts';
import { createRowList, headerOf, previewedRows, rawRow, widest } from './table-header.ts';

/** Number of bytes per step; small, because a row of two bytes takes as long as a long one. */
const stepBytes = 4 * 1024;

/**
 * Returns the rows of a CSV file with a header, in UTF-8 or the given charset; fields end with a comma, or with a semicolon
 * or tab if the header has no comma. Other work runs between the steps.
 * Throws RequestError if the file is not a table of rows, and as soon as it has too many.
 */
export async function readCsv(file: Buffer, charset: string, options: HeaderOptions = {}): Promise<PreviewedTable> {
  const bytes = Buffer.from(decoded(file, charset));
  const delimiter = delimiterOf(bytes);
  const rows = createRowList();
  const cells: (readonly string[])[] = [];
  let header: readonly TableColumn[] | undefined;
  const parser = parse({
    delimiter,
    skip_empty_lines: true,
    relax_column_count: true,
    // Errors cost as much as the row is long, and such a row may have one at each quote.
    relax_quotes: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      rows.addProblem(`It cannot be read: ${error?.message ?? 'it is no record'}.`);
      if (cells.length < previewedRows) cells.push([]);
      return undefined;
    },
    cast(field, { index }) {
      if (index === widest) throw tooWide();
      return field;
    },
    on_record(fields: readonly string[]) {
      if (header === undefined) {
        header = headerOf(fields, options);
        return null;
      }
      if (cells.length < previewedRows) cells.push(fields);
      if (fields.length !== header.length) rows.addProblem(`It does not have ${header.length} columns.`);
      else rows.add(rawRow(header, fields));
      // Results are kept in `rows`, in order with the rows that could not be read.
      return null;
    },
  });
  await pipeline(inSteps(bytes), parser.resume());
  return { columns: header ?? [], rows: rows.all(), cells };
}

const tooWide = (): RequestError =>
  new RequestError(
    'BATCH_INVALID',
    `A line has more than ${widest} fields; fields end with a comma, lines with a line break.`,
  );

/** Maximum number of bytes of the header with the empty lines before it. */
const headerBytes = 64 * 1024;

/**
 * Returns the character between the columns of the header. Excel writes a semicolon where the comma is in numbers. Throws
 * RequestError if the header does not end: the parser would take long to look for its end.
 */
function delimiterOf(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, headerBytes).replaceAll(/"[^"]*"/g, '');
  const [names = '', ...rest] = text.replace(/^[\r\n]+/, '').split(/[\r\n]/, 2);
  if (rest.length === 0 && bytes.length > headerBytes) {
    throw new RequestError(
      'BATCH_INVALID',
      `The first line must name the columns, and has more than ${headerBytes.toLocaleString('en')} bytes.`,
    );
  }
  return [',', ';', '\t'].find((delimiter) => names.includes(delimiter)) ?? ',';
}

function decoded(file: Buffer, charset: string): string {
  try {
    return new TextDecoder(markedEncoding(file) ?? charset, { fatal: true }).decode(file);
  } catch {
    throw new RequestError(
      'BATCH_INVALID',
      `The table is not in ${charset}. Save it as "CSV UTF-8"; or send it as the body and say what it is in, as in "Content-Type: text/csv; charset=windows-1252".`,
    );
  }
}

async function* inSteps(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += stepBytes) {
    yield bytes.subarray(at, at + stepBytes);
    await setImmediate();
  }
}
