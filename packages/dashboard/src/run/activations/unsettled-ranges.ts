import type { RowState, TimelineRow } from '../../activations/timeline-row.ts';

/** Final states; a failed activation may be retried. */
const settled: ReadonlySet<RowState> = new Set(['completed', 'opened', 'dropped']);

/** Rows from an index on, and their number. */
export interface RowRange {
  readonly from: number;
  readonly count: number;
}

/** Settled rows between two others for which no further request is sent. */
const gap = 100;

/**
 * Returns the ranges of rows that have to be loaded again: those that had not settled. They are often far apart, such as a
 * person who is asked at the start of a long run, and its newest activations.
 */
export function unsettledRanges(rows: readonly Pick<TimelineRow, 'state'>[], most: number): readonly RowRange[] {
  const ranges: { from: number; count: number }[] = [];
  for (const [at, { state }] of rows.entries()) {
    if (settled.has(state)) continue;
    const last = ranges.at(-1);
    const isNear = last !== undefined && at - last.from < most && at - (last.from + last.count) <= gap;
    if (isNear) last.count = at - last.from + 1;
    else ranges.push({ from: at, count: 1 });
  }
  return ranges;
}
