import type { BatchRow } from '@millrace/client';
import { csvCell } from '../kit/values/save-text.ts';

const fields = ['row', 'id', 'status', 'runId', 'input', 'output', 'error', 'microUsd'] as const;

/** First line of a table of results. */
export const csvHeader = `${fields.join(',')}\r\n`;

/** Returns rows as lines of CSV. */
export const csvOf = (rows: readonly BatchRow[]): string =>
  rows.map((row) => `${fields.map((field) => csvCell(textOf(row, field))).join(',')}\r\n`).join('');

/** Returns rows as lines of JSON, as they are. */
export const jsonLinesOf = (rows: readonly BatchRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

function textOf(row: BatchRow, field: (typeof fields)[number]): string {
  if (field === 'error') return row.error === undefined ? '' : `${row.error.code}: ${row.error.message}`;
  return String((field === 'microUsd' ? row.usage?.microUsd : row[field]) ?? '');
}
