import { describe, expect, it } from 'vitest';
import { durationBucket, durationQuantile } from './duration-buckets.ts';

function countsOf(durations: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const ms of durations) counts.set(durationBucket(ms), (counts.get(durationBucket(ms)) ?? 0) + 1);
  return counts;
}

describe('a quantile of counted durations', () => {
  it('is right within an eighth', () => {
    const durations = Array.from({ length: 1000 }, (_, at) => (at + 1) * 37);
    for (const share of [0.1, 0.5, 0.95, 1]) {
      const exact = durations[Math.ceil(share * 1000) - 1] ?? 0;
      const ratio = (durationQuantile(countsOf(durations), share) ?? 0) / exact;
      expect(ratio, String(share)).toBeGreaterThan(0.875);
      expect(ratio, String(share)).toBeLessThan(1.125);
    }
  });

  it('is nothing without durations, and leaves out those that were subtracted', () => {
    expect(durationQuantile(new Map(), 0.5)).toBeUndefined();
    expect(durationQuantile(new Map([[3, 0]]), 0.5)).toBeUndefined();
    expect(durationQuantile(countsOf([0]), 0.5)).toBe(0);
  });
});
