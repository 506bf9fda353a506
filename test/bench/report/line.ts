import type { Cost } from '../cost.ts';

/** Both sides per piece of work, and the engine's divided by the floor's. */
export interface Compared {
  readonly floor: number;
  readonly millrace: number;
  readonly ratio: number;
}

/** Figures of the cost of one piece of work, and how the rounds become one value. */
export const figures = {
  commands: 'median',
  scripts: 'median',
  packets: 'median',
  commits: 'median',
  bytes: 'median',
  allocated: 'median',
  // Whatever else the machine does only adds to these.
  worker: 'least',
  redis: 'least',
} as const satisfies Partial<Record<keyof Cost, 'median' | 'least'>>;

/** Name of a figure. */
export type FigureName = keyof typeof figures;

/** Names of the figures. */
export const figureNames = Object.keys(figures) as FigureName[]; // The type is made from the same keys.

/** Cost of a piece of work; see {@link Cost} for the units. */
export type Costs = Readonly<Record<FigureName, Compared>>;

/** Longest turn of the engine's event loop and longest command of Redis, in milliseconds. */
export type Longest = Pick<Cost, 'turnMs' | 'commandMs'>;

/** One line of the result; `ratio` says how the engine does against the floor, where there is one. */
export interface Line {
  readonly floor?: number;
  readonly millrace: number;
  readonly ratio?: number;
  readonly unit: string;
  readonly costs?: Costs;
  readonly longest?: Longest;
  /** Figures of the engine that differed by at most 5 % between the rounds. */
  readonly steady?: readonly FigureName[];
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

/** Largest difference between rounds of a figure that is called steady, as a share of the least. */
const steadyWithin = 0.05;

/** The line of rounds. The ratio of times is the median of each round's own, as both sides of a round share its minute. */
export function lineOf(rounds: readonly Pair[], { pieces, measure, unit }: Work): Line {
  const value = ({ ms }: Cost) => (measure === 'ms' ? ms / pieces : (pieces / ms) * 1000);
  const of = (side: keyof Pair, figure: FigureName) => rounds.map((round) => round[side][figure] / pieces);
  const costs = Object.fromEntries(
    figureNames.map((figure) => {
      const one = figures[figure] === 'least' ? least : median;
      const [floor, millrace] = [one(of('floor', figure)), one(of('millrace', figure))];
      return [figure, { floor, millrace, ratio: millrace / floor }];
    }),
  ) as Costs; // one entry for each name
  return {
    floor: median(rounds.map(({ floor }) => value(floor))),
    millrace: median(rounds.map(({ millrace }) => value(millrace))),
    ratio: median(rounds.map(({ floor, millrace }) => value(millrace) / value(floor))),
    unit,
    costs,
    longest: longestOf(rounds.map(({ millrace }) => millrace)),
    steady: figureNames.filter((figure) => isSteady(of('millrace', figure))),
  };
}

/** Returns the longest of several. */
export const longestOf = (all: readonly Longest[]): Longest => ({
  turnMs: Math.max(...all.map(({ turnMs }) => turnMs)),
  commandMs: Math.max(...all.map(({ commandMs }) => commandMs)),
});

const least = (values: readonly number[]): number => Math.min(...values);

const isSteady = (values: readonly number[]): boolean => Math.max(...values) <= least(values) * (1 + steadyWithin);

/** The one in the middle; of an even number, the upper of the two. NaN of none. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
