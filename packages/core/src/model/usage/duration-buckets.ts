/*
 * Durations as numbers in buckets, which commits can count and days can add up. Each bucket reaches 1.25 times as far as the
 * one before, so a quantile is right within an eighth.
 */
const growth = 1.25;

/** Returns the bucket of a duration in milliseconds. */
export const durationBucket = (ms: number): number => (ms < 1 ? 0 : 1 + Math.floor(Math.log(ms) / Math.log(growth)));

/**
 * Returns the duration in milliseconds below which this share of the counted ones are: the middle of its bucket; undefined
 * without any.
 */
export function durationQuantile(counts: ReadonlyMap<number, number>, share: number): number | undefined {
  const buckets = [...counts].filter(([, count]) => count > 0).sort(([one], [other]) => one - other);
  let rest = share * buckets.reduce((sum, [, count]) => sum + count, 0);
  for (const [bucket, count] of buckets) {
    rest -= count;
    if (rest <= 0) return bucket === 0 ? 0 : Math.round(growth ** (bucket - 0.5));
  }
  return undefined;
}
