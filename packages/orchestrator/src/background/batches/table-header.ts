import type { ParsedRow, RawRow } from '@millrace/api';
import { createRowReader, columns as known } from '@millrace/api';
import { RequestError } from '@millrace/core';

/** Meaning of columns by their names. */
export type ColumnMeanings = Readonly<Record<string, string>>;

/** Meaning of the first line of a table. */
export interface HeaderOptions {
  /** Absent: the names of columns say what they mean. */
  readonly columns?: ColumnMeanings | undefined;
  /** Columns that mean nothing are ignored, also when no other column has the input. */
  readonly isPreview?: true;
}

/** Maximum number of columns; with more, a file is not a table. */
export const widest = 100;

/** A column of a table; one without a meaning is ignored. */
export interface TableColumn {
  readonly name: string;
  readonly to?: string | undefined;
}

/** Returns the columns that the first line of a table names. Throws RequestError if none of them is the input. */
export function headerOf(names: readonly string[], { columns, isPreview }: HeaderOptions): readonly TableColumn[] {
  if (columns !== undefined) return mapped(names, columns);
  const header = names.map((name) => name.trim().toLowerCase());
  if (isPreview === true) return names.map((name, at) => ({ name, to: guessed(header, at) }));
  const fields: readonly string[] = known;
  const isRight =
    header.every((name) => fields.includes(name)) &&
    new Set(header).size === header.length &&
    (header.includes('input') || header.includes('task'));
  if (isRight) return header.map((name) => ({ name, to: name }));
  throw new RequestError(
    'BATCH_INVALID',
    `The first line must name the columns: input (or task), and id, vars and attachments if there are any; not "${shown(names)}". Say with "columns" what others mean.`,
  );
}

/** Returns columns with the meanings that a request gives them. */
function mapped(names: readonly string[], columns: ColumnMeanings): readonly TableColumn[] {
  for (const name of Object.keys(columns)) {
    const times = names.filter((one) => one === name).length;
    if (times === 1) continue;
    const why = times === 0 ? 'The table has no column' : 'The table has more than one column';
    throw new RequestError('BATCH_INVALID', `${why} "${name}". Its columns are ${shown(names)}.`);
  }
  return names.map((name) => ({ name, to: Object.hasOwn(columns, name) ? columns[name] : undefined }));
}

/** Returns the meaning that the name of a column suggests, of several with the same meaning the first. */
function guessed(header: readonly string[], at: number): string | undefined {
  const meanings = header.map((name) =>
    name === 'task' ? 'input' : (known as readonly string[]).includes(name) ? name : undefined,
  );
  const meaning = meanings[at];
  return meaning !== undefined && meanings.indexOf(meaning) === at ? meaning : undefined;
}

const shownLength = 200;

function shown(names: readonly string[]): string {
  const written = names.join(', ');
  return written.length > shownLength ? `${written.slice(0, shownLength)}…` : written;
}

/** Returns the cells of a row by the meanings of their columns. */
export const rawRow = (header: readonly TableColumn[], cells: readonly unknown[]): RawRow =>
  Object.fromEntries(header.flatMap(({ to }, at) => (to === undefined ? [] : [[to, cells[at] ?? '']])));

/** Maximum number of rows of a batch. */
export const rowLimit = 50_000;

/** Number of rows whose cells a preview shows. */
export const previewedRows = 20;

/** The rows of a table, in the order in which they are read. */
interface RowList {
  /** Adds a row. Throws RequestError if there are too many, as `addProblem` does. */
  add(raw: RawRow): void;
  /** Adds a row that is invalid. */
  addProblem(problem: string): void;
  /** Returns all rows. Throws RequestError if there are none. */
  all(): readonly ParsedRow[];
}

/** Returns an empty list. */
export function createRowList(): RowList {
  const read = createRowReader();
  const rows: ParsedRow[] = [];
  const push = (row: ParsedRow): void => {
    if (rows.length === rowLimit) {
      throw new RequestError(
        'BATCH_INVALID',
        `There are more than ${rowLimit.toLocaleString('en')} rows. Split the table.`,
      );
    }
    rows.push(row);
  };
  return {
    add: (raw) => push(read(raw)),
    addProblem: (problem) => push({ type: 'problem', problem }),
    all() {
      if (rows.length === 0) throw new RequestError('BATCH_INVALID', 'There are no rows.');
      return rows;
    },
  };
}

/** Reads rows that came as JSON. Throws RequestError when there are none, or too many. */
export function readRows(raws: Iterable<RawRow>): readonly ParsedRow[] {
  const rows = createRowList();
  for (const raw of raws) rows.add(raw);
  return rows.all();
}
