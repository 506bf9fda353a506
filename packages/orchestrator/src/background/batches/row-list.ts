import type { ParsedRow, RawRow } from '@millrace/api';
import { createRowReader } from '@millrace/api';
import { RequestError } from '@millrace/core';

/** Maximum number of rows of a batch. */
export const rowLimit = 50_000;

/** Number of rows whose cells a preview shows. */
export const previewedRows = 20;

/** The rows of a table, in the order in which they are read. */
export interface RowList {
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
