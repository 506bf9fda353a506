/** One line of the result; `ratio` says how the engine does against the floor, where there is one. */
export interface Line {
  readonly floor?: number;
  readonly millrace: number;
  readonly ratio?: number;
  readonly unit: string;
}

/** Milliseconds that the floor and the engine took for the same work, one right after the other. */
export interface Pair {
  readonly floor: number;
  readonly millrace: number;
}

/** What was done in each round. */
export interface Work {
  readonly pieces: number;
  /** `ms`: time per piece, less is better; `per second`: pieces per second, more is better. */
  readonly measure: 'ms' | 'per second';
  readonly unit: string;
}

/** The median of rounds; the ratio is the median of each round's own, as both sides of a round share its minute. */
export function lineOf(rounds: readonly Pair[], { pieces, measure, unit }: Work): Line {
  const value = (ms: number) => (measure === 'ms' ? ms / pieces : (pieces / ms) * 1000);
  return {
    floor: median(rounds.map(({ floor }) => value(floor))),
    millrace: median(rounds.map(({ millrace }) => value(millrace))),
    ratio: median(rounds.map(({ floor, millrace }) => value(millrace) / value(floor))),
    unit,
  };
}

/** The one in the middle; of an even number, the upper of the two. NaN of none. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
