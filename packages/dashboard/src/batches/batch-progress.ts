import type { Batch } from '@millrace/client';

/** Statuses of the rows of a batch. */
export interface RowCounts {
  readonly done: number;
  /** Failed, terminated or invalid. */
  readonly failed: number;
  readonly cancelled: number;
  readonly running: number;
  readonly left: number;
}

/** Returns the statuses of the rows of a batch. */
export function rowCountsOf({ rows }: Pick<Batch, 'rows'>): RowCounts {
  const { completed = 0, failed = 0, terminated = 0, invalid = 0, cancelled = 0, running = 0, waiting = 0 } = rows;
  return { done: completed, failed: failed + terminated + invalid, cancelled, running, left: waiting };
}

/** Number of rows that had ended at a time, in milliseconds since 1970. */
export interface Sample {
  readonly at: number;
  readonly ended: number;
}

/** Pace of a batch, and its expected end at this pace. */
export interface Pace {
  readonly rowsPerMinute: number;
  /** Milliseconds since 1970; absent for a batch that has ended. */
  readonly endsAt?: number;
}

/** Time over which the pace is measured, in milliseconds. */
export const paceMs = 60_000;

/** Returns the rate of a batch in the last minute, or else since its start; undefined while no row has ended. */
export function paceOf(batch: Batch, seen: readonly Sample[], now: number): Pace | undefined {
  const { done, failed, cancelled, running, left } = rowCountsOf(batch);
  const ended = done + failed + cancelled - (batch.rows['invalid'] ?? 0);
  if (batch.finishedAt !== undefined) return perMinute(ended, batch.finishedAt - batch.createdAt);
  const first = seen.find(({ at }) => at >= now - paceMs);
  const recent = first && perMinute(ended - first.ended, now - first.at);
  const pace = recent ?? perMinute(ended, now - batch.createdAt);
  return pace && { ...pace, endsAt: now + ((running + left) / pace.rowsPerMinute) * 60_000 };
}

const perMinute = (rows: number, ms: number): Pace | undefined =>
  rows > 0 && ms > 0 ? { rowsPerMinute: (rows / ms) * 60_000 } : undefined;

/** Returns a pace in words. */
export function paceLabel({ rowsPerMinute }: Pace): string {
  if (rowsPerMinute >= 10) return `${Math.round(rowsPerMinute).toLocaleString('en')} rows/min`;
  return rowsPerMinute >= 0.1 ? `${rowsPerMinute.toFixed(1)} rows/min` : `${(rowsPerMinute * 60).toFixed(1)} rows/h`;
}
