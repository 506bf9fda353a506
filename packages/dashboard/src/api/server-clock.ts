/** Milliseconds by which the server's clock is ahead of the clock of this browser; undefined before the first answer. */
let aheadMs: number | undefined;

/** Difference from which on one of the clocks was set; smaller ones come from the time that answers take. */
const setMs = 2_000;

/** Adopts the time of an answer by the server's clock, in milliseconds since 1970. */
export function noteServerTime(now: number): void {
  const measured = now - Date.now();
  // Answers arrive late: the largest difference is the most accurate one.
  if (aheadMs === undefined || measured > aheadMs || measured < aheadMs - setMs) aheadMs = measured;
}

/** Returns the time by the server's clock, which times of runs and questions are given in. */
export const serverNow = (): number => Date.now() + (aheadMs ?? 0);

/** Returns a time of this browser's clock as the server's clock has it. */
export const toServerTime = (local: number): number => local + (aheadMs ?? 0);
