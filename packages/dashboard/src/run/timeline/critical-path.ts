import type { TimelineRow } from '../../activations/timeline-row.ts';
import { endOf } from '../../activations/timeline-row.ts';

/**
 * Returns the ids of the activations that decided when a run ended: the last one to settle, the one that settled when
 * that became due, and so on. The commit that settles an activation makes its successors due, at the same time.
 */
export function criticalPath(rows: readonly TimelineRow[], now: number): ReadonlySet<string> {
  const byEnd = rows
    .filter(({ state }) => state !== 'dropped')
    .sort((one, other) => endOf(one, now) - endOf(other, now));
  const path = new Set<string>();
  let row = byEnd.at(-1);
  while (row !== undefined && !path.has(row.id)) {
    path.add(row.id);
    row = lastBefore(byEnd, row, now);
  }
  return path;
}

/** Returns the row that ended last before another one was due. */
function lastBefore(byEnd: readonly TimelineRow[], { id, readyAt }: TimelineRow, now: number): TimelineRow | undefined {
  let low = 0;
  let high = byEnd.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = byEnd[middle];
    if (row !== undefined && endOf(row, now) <= readyAt) low = middle + 1;
    else high = middle;
  }
  // Ids increase: no activation follows a later one.
  for (let at = low - 1; at >= 0; at -= 1) {
    const row = byEnd[at];
    if (row !== undefined && numberOf(row.id) < numberOf(id)) return row;
  }
  return undefined;
}

const numberOf = (id: string): number => Number(id.slice(1));
