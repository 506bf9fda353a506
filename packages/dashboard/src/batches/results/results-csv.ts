import type { BatchRow } from '@millrace/client';

const fields = ['row', 'id', 'status', 'runId', 'input', 'output', 'error', 'microUsd'] as const;

/** First line of a table of results. */
export const csvHeader = `${fields.join(',')}\r\n`;

/** Returns rows as lines of CSV. Spreadsheets take a cell that begins like a formula for one, so it gets an apostrophe. */
export const csvOf = (rows: readonly BatchRow[]): string =>
  rows.map((row) => `${fields.map((field) => cellOf(textOf(row, field))).join(',')}\r\n`).join('');

/** Returns rows as lines of JSON, as they are. */
export const jsonLinesOf = (rows: readonly BatchRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

function textOf(row: BatchRow, field: (typeof fields)[number]): string {
  if (field === 'error') return row.error === undefined ? '' : `${row.error.code}: ${row.error.message}`;
  return String((field === 'microUsd' ? row.usage?.microUsd : row[field]) ?? '');
}

function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
