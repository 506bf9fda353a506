import type { Span, TimelineRow } from '../../activations/timeline-row.ts';
import { endOf } from '../../activations/timeline-row.ts';

/** Activity of a run in equal parts of its time. */
export interface Density {
  /** Activations under way in each part. */
  readonly live: Uint32Array;
  /** Failures in each part. */
  readonly failed: Uint32Array;
}

/** Counts the activations under way, and the failures, in each of `parts` equal parts of a time. */
export function densityOf(
  rows: readonly TimelineRow[],
  span: Span,
  { parts, now }: { readonly parts: number; readonly now: number },
): Density {
  // Differences at both ends of each row, summed up once: the cost does not depend on how long rows are.
  const steps = new Int32Array(parts + 1);
  const failed = new Uint32Array(parts);
  const scale = parts / (span.to - span.from);
  const partOf = (at: number): number => Math.max(0, Math.min(parts - 1, Math.floor((at - span.from) * scale)));
  for (const row of rows) {
    const last = partOf(endOf(row, now));
    const first = partOf(row.readyAt);
    steps[first] = (steps[first] ?? 0) + 1;
    steps[last + 1] = (steps[last + 1] ?? 0) - 1;
    if (row.state === 'failed') failed[last] = (failed[last] ?? 0) + 1;
  }
  const live = new Uint32Array(parts);
  let sum = 0;
  for (let part = 0; part < parts; part += 1) {
    sum += steps[part] ?? 0;
    live[part] = sum;
  }
  return { live, failed };
}
