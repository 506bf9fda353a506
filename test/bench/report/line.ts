import type { Cost } from '../cost.ts';

/** Medians of both sides per piece of work, and the median of the ratios of the rounds. */
export interface Compared {
  readonly floor: number;
  readonly millrace: number;
  readonly ratio: number;
}

/** Processor time of workers and of Redis in microseconds, and bytes allocated by workers, per piece of work. */
export type Costs = Readonly<Record<'worker' | 'redis' | 'allocated', Compared>>;

/** One line of the result; `ratio` says how the engine does against the floor, where there is one. */
export interface Line {
  readonly floor?: number;
  readonly millrace: number;
  readonly ratio?: number;
  readonly unit: string;
  readonly costs?: Costs;
}

/** Cost of the same work for the floor and the engine, one right after the other. */
export interface Pair {
  readonly floor: Cost;
  readonly millrace: Cost;
}

/** Work of each round: its amount, and the measure and unit of its line. */
export interface Work {
  readonly pieces: number;
  /** `ms`: time per piece, less is better; `per second`: pieces per second, more is better. */
  readonly measure: 'ms' | 'per second';
  readonly unit: string;
}

/** The median of rounds; the ratio is the median of each round's own, as both sides of a round share its minute. */
export function lineOf(rounds: readonly Pair[], { pieces, measure, unit }: Work): Line {
  const value = ({ ms }: Cost) => (measure === 'ms' ? ms / pieces : (pieces / ms) * 1000);
  const per = (part: keyof Costs) => compare(rounds, (cost) => cost[part] / pieces);
  return {
    ...compare(rounds, value),
    unit,
    costs: { worker: per('worker'), redis: per('redis'), allocated: per('allocated') },
  };
}

const compare = (rounds: readonly Pair[], value: (cost: Cost) => number): Compared => ({
  floor: median(rounds.map(({ floor }) => value(floor))),
  millrace: median(rounds.map(({ millrace }) => value(millrace))),
  ratio: median(rounds.map(({ floor, millrace }) => value(millrace) / value(floor))),
});

/** The one in the middle; of an even number, the upper of the two. NaN of none. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
