/**
 * Returns a clock, in the milliseconds of another one, that never goes back: where the other one is set back, it runs on from the last
 * time that it showed.
 */
export function onward(now: () => number): () => number {
  let last = Number.NEGATIVE_INFINITY;
  let ahead = 0;
  return () => {
    const read = now();
    ahead = Math.max(ahead, last - read);
    last = read + ahead;
    return last;
  };
}
