import type { Batch, BatchRow } from '@millrace/client';
import { columns } from './columns.ts';

/** Returns batches as aligned columns. */
export const batchesTable = (batches: readonly Batch[]): string =>
  columns(
    ['BATCH', 'WORKFLOW', 'STATUS', 'ROWS', 'PARALLEL', 'CREATED'],
    batches.map(({ id, workflow, status, total, parallel, createdAt }) => [
      id,
      workflow ?? '',
      status,
      String(total),
      String(parallel),
      new Date(createdAt).toISOString(),
    ]),
  );

/** Returns the state of a batch: how many of its rows have each status. */
export const batchStateTable = ({ id, status, total, rows }: Batch): string =>
  columns(
    ['BATCH', 'STATUS', 'ROWS', ...Object.keys(rows).map((name) => name.toUpperCase())],
    [[id, status, String(total), ...Object.values(rows).map(String)]],
  );

/** Returns the rows of a batch as aligned columns. */
export const rowsTable = (rows: readonly BatchRow[]): string =>
  columns(
    ['ROW', 'ID', 'STATUS', 'RUN', 'ERROR'],
    rows.map(({ row, id = '', status, runId = '', error }) => [
      String(row),
      id,
      status,
      runId,
      error === undefined ? '' : `${error.message.split('\n', 1)[0]} [${error.code}]`,
    ]),
  );
