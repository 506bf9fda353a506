/** Chance that can be repeated: the same seed gives the same choices. */
export interface Chance {
  /** A whole number from 0 to below `count`. */
  below(count: number): number;
  /** Returns true with a probability of one in `times`. */
  oneIn(times: number): boolean;
}

/** Mulberry32: small, and good enough to choose among a handful. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { below, oneIn: (times) => below(times) === 0 };
}
