import type { RunEvent } from '@millrace/client';
import type { Mark } from './place.ts';
import { markOf } from './place.ts';

/** A part of the journal as a bar. */
export interface Bar {
  /** Number of events compared with the fullest bar, from 0 to 1. */
  readonly height: number;
  /** The mark that matters most in it. */
  readonly mark: Mark | undefined;
}

const order: readonly Mark[] = ['failed', 'question', 'pause', 'run', 'turn'];

/** Returns the activity of a journal in parts with equal numbers of events: their rate, and their marks. */
export function densityOf(events: readonly RunEvent[], bars: number): readonly Bar[] {
  if (events.length === 0) return [];
  const per = Math.max(1, events.length / bars);
  const parts = Array.from({ length: Math.min(bars, events.length) }, (_, at) => {
    const part = events.slice(Math.floor(at * per), Math.max(Math.floor(at * per) + 1, Math.floor((at + 1) * per)));
    const marks = new Set(part.map(markOf));
    const after = events[Math.floor((at + 1) * per)] ?? part.at(-1);
    const took = Math.max(1, (after?.at ?? 0) - (part[0]?.at ?? 0));
    return { rate: part.length / took, mark: order.find((mark) => marks.has(mark)) };
  });
  const most = Math.max(...parts.map(({ rate }) => Math.sqrt(rate)));
  return parts.map(({ rate, mark }) => ({ height: Math.sqrt(rate) / most, mark }));
}
