import { formatDuration } from '../../../kit/values/format.ts';
import type { Span } from '../timeline-row.ts';

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const;

/** Distances of marks, in milliseconds: numbers that people count in. */
const steps: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 5, 10, 20, 50, 100].map((count) => count * day),
];

/** A mark on the scale of a timeline. */
export interface ScaleMark {
  /** Place in the window, from 0 to 1. */
  readonly at: number;
  /** Time since the run began, in words. */
  readonly text: string;
}

const mostMarks = 6;
/** Part of the window behind which the words of a mark have no room. */
const lastAt = 0.92;

/** Returns the marks of a window at round times since the run began. */
export function scaleMarks({ from, to }: Span, start: number): readonly ScaleMark[] {
  const length = Math.max(1, to - from);
  const step = steps.find((one) => length / one <= mostMarks) ?? Math.ceil(length / mostMarks / day) * day;
  const marks: ScaleMark[] = [];
  for (let time = Math.max(0, Math.ceil((from - start) / step) * step); start + time <= to; time += step) {
    const at = (start + time - from) / length;
    if (at <= lastAt) marks.push({ at, text: textOf(time, step) });
  }
  return marks;
}

/** Returns a time with as many digits as distinguish it from its neighbours. */
function textOf(time: number, step: number): string {
  if (step >= second || time < second) return formatDuration(time);
  return `${(time / second).toFixed(step >= 100 ? 1 : step >= 10 ? 2 : 3)} s`;
}
