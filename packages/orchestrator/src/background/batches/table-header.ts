import type { RawRow } from '@millrace/api';
import { columns } from '@millrace/api';
import { RequestError } from '@millrace/core';

/** Returns the columns that the first line of a table names. Throws RequestError if it names none. */
export function headerOf(names: readonly string[]): readonly string[] {
  const header = names.map((name) => name.trim().toLowerCase());
  const known: readonly string[] = columns;
  const isRight =
    header.every((name) => known.includes(name)) &&
    new Set(header).size === header.length &&
    (header.includes('input') || header.includes('task'));
  if (isRight) return header;
  const written = names.join(', ');
  throw new RequestError(
    'BATCH_INVALID',
    `The first line must name the columns: input (or task), and id, vars and attachments if there are any; not "${written.length > shownLength ? `${written.slice(0, shownLength)}…` : written}".`,
  );
}

const shownLength = 200;

/** Returns the cells of a row by the names of their columns. */
export const rawRow = (header: readonly string[], cells: readonly unknown[]): RawRow =>
  Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']));
