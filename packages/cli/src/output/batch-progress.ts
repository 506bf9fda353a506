import type { Batch } from '@millrace/client';

const width = 30;

/** Returns a progress bar of a batch with the number of rows of each status, as one line. */
export function batchProgress({ total, rows }: Pick<Batch, 'total' | 'rows'>): string {
  const left = rows.waiting + rows.running;
  const done = total - left;
  const filled = total === 0 ? width : Math.floor((done / total) * width);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}]`;
  const counts = Object.entries(rows).flatMap(([status, count]) => (count === 0 ? [] : [`${count} ${status}`]));
  return [`${bar} ${done}/${total} rows`, ...counts].join(', ');
}
