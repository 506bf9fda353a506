import { z } from 'zod';

/** A number of times, or its bounds. */
export interface Count {
  readonly atLeast: number;
  readonly atMost: number;
}

const advice = "Write a whole number, or bounds such as '>=1', '<=3' or '2..4'.";

/** A number of times in a test: `2`, `'>=1'`, `'<=3'` or `'2..4'`. */
export const CountText = z
  .union([z.int().min(0), z.string().regex(/^(>=\d+|<=\d+|\d+\.\.\d+)$/, { error: advice })])
  .describe("A number, or bounds such as '>=1', '<=3' or '2..4'.");
export type CountText = z.infer<typeof CountText>;

/** Returns the bounds of a number of times. */
export function countOf(written: CountText): Count {
  if (typeof written === 'number') return { atLeast: written, atMost: written };
  const [least = '', most = ''] = written.split('..');
  if (written.startsWith('>=')) return { atLeast: Number(written.slice(2)), atMost: Number.POSITIVE_INFINITY };
  if (written.startsWith('<=')) return { atLeast: 0, atMost: Number(written.slice(2)) };
  return { atLeast: Number(least), atMost: Number(most) };
}

/** Tests if a number is within bounds. */
export const isWithin = ({ atLeast, atMost }: Count, found: number): boolean => found >= atLeast && found <= atMost;
