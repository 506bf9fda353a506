import type { BatchRow, RowQuery } from '@millrace/client';
import { withSession } from '../client/session.ts';
import type { Cli } from '../process/cli.ts';
import { first } from '../requests/first.ts';

/** Prints the inputs and outputs of the rows of a batch as CSV or JSON. */
export async function printResults(
  cli: Cli,
  { id, limit, json, ...query }: RowQuery & { readonly id: string; readonly limit: number; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { batches } }) => {
    const rows = await first(limit, batches.results(id, query));
    cli.terminal.data(json === true ? JSON.stringify(rows, null, 2) : csvOf(rows));
  });
}

/** Returns rows as CSV. */
export const csvOf = (rows: readonly BatchRow[]): string =>
  [fields, ...rows.map((row) => fields.map((field) => textOf(row, field)))]
    .map((cells) => cells.map(cellOf).join(','))
    .join('\r\n');

const fields = ['row', 'id', 'status', 'runId', 'input', 'output', 'error', 'microUsd'] as const;

function textOf(row: BatchRow, field: (typeof fields)[number]): string {
  if (field === 'error') return row.error === undefined ? '' : `${row.error.code}: ${row.error.message}`;
  return String((field === 'microUsd' ? row.usage?.microUsd : row[field]) ?? '');
}

/** Returns a cell of CSV. Spreadsheets take a cell that begins like a formula for one, so it gets an apostrophe. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
