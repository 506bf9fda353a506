import { describe, expect, it } from 'vitest';
import type { Duration } from './duration.ts';
import { toMilliseconds } from './duration.ts';

describe('a duration', () => {
  it.each([
    [1500, 1500],
    ['250ms', 250],
    ['90s', 90_000],
    ['1.5h', 5_400_000],
    ['7d', 604_800_000],
  ] as const)('%s is %i milliseconds', (written, expected) => {
    expect(toMilliseconds(written)).toBe(expected);
  });

  it.each(['', '2', '2 h', '-1s', 'h', '2hours'])('is not "%s"', (written) => {
    expect(() => toMilliseconds(written as Duration)).toThrow('is not a duration');
  });
});
