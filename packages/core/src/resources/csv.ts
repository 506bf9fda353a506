/** Returns a line of a table as RFC 4180 has it, without the end of the line. */
export const csvLine = (cells: readonly string[]): string => cells.map(cellOf).join(',');

/** Returns a cell. Spreadsheets take a cell that begins like a formula for one, so it gets an apostrophe. */
function cellOf(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row of a batch with its result, as the API has it. */
export interface BatchResult {
  readonly row: number;
  readonly id?: string | undefined;
  readonly status: string;
  readonly runId?: string | undefined;
  readonly input?: string | undefined;
  readonly output?: string | null | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
  readonly usage?: { readonly microUsd?: number | undefined } | undefined;
}

/** The first line of a table with the results of a batch. */
export const batchResultsHead = csvLine(['row', 'id', 'status', 'runId', 'input', 'output', 'error', 'microUsd']);

/** Returns the line of a result in a table with {@link batchResultsHead}. */
export const batchResultLine = ({ row, id, status, runId, input, output, error, usage }: BatchResult): string =>
  csvLine([
    String(row),
    id ?? '',
    status,
    runId ?? '',
    input ?? '',
    output ?? '',
    error === undefined ? '' : `${error.code}: ${error.message}`,
    String(usage?.microUsd ?? ''),
  ]);
