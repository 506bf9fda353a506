import type { RunDensity, RunEvent } from '@millrace/client';
import type { Mark } from '../follow/place.ts';
import { markOf } from '../follow/place.ts';

/** A part of the journal as a bar. */
export interface Bar {
  /** Rate of events compared with the busiest bar, from 0 to 1. */
  readonly height: number;
  /** The mark that matters most in it. */
  readonly mark: Mark | undefined;
}

/** A part of the journal. */
interface Part {
  readonly events: number;
  /** Time until the next part, in milliseconds. */
  readonly took: number;
  readonly mark: Mark | undefined;
}

const order: readonly Mark[] = ['failed', 'question', 'pause', 'run', 'iteration'];

/** Returns the activity of a journal in parts with equal numbers of events. */
export function densityOf(events: readonly RunEvent[], bars: number): readonly Bar[] {
  if (events.length === 0) return [];
  const per = Math.max(1, events.length / bars);
  const parts = Array.from({ length: Math.min(bars, events.length) }, (_, at) => {
    const part = events.slice(Math.floor(at * per), Math.max(Math.floor(at * per) + 1, Math.floor((at + 1) * per)));
    const marks = new Set(part.map(markOf));
    const after = events[Math.floor((at + 1) * per)] ?? part.at(-1);
    const took = (after?.at ?? 0) - (part[0]?.at ?? 0);
    return { events: part.length, took, mark: order.find((mark) => marks.has(mark)) };
  });
  return barsOf(parts);
}

/** Returns the activity of a long journal, which the server has counted in parts with equal numbers of commits. */
export function countedDensity({
  at,
  from,
  events,
  failures,
  questions,
  pauses,
  iterations,
}: RunDensity): readonly Bar[] {
  // A loop that iterates all the time would mark every bar.
  const isRare = iterations.filter((count) => count > 0).length < from.length / 4;
  const counts: readonly (readonly [Mark, readonly number[]])[] = [
    ['failed', failures],
    ['question', questions],
    ['pause', pauses],
    ['iteration', isRare ? iterations : []],
  ];
  return barsOf(
    from.map((start, bar) => ({
      events: events[bar] ?? 0,
      took: (from[bar + 1] ?? at) - start,
      mark: counts.find(([, column]) => (column[bar] ?? 0) > 0)?.[0],
    })),
  );
}

function barsOf(parts: readonly Part[]): readonly Bar[] {
  const rates = parts.map(({ events, took }) => Math.sqrt(events / Math.max(1, took)));
  const most = Math.max(...rates);
  return parts.map(({ mark }, at) => ({ height: (rates[at] ?? 0) / most, mark }));
}
