/** Amount of work in each scenario. */
export interface Sizes {
  /** Jobs or activations of one chain. */
  readonly chain: number;
  /** Chains at once, and the length of each. */
  readonly chains: number;
  readonly length: number;
  readonly units: number;
  /** Units of the largest map, which is measured once. */
  readonly hugeMap: number;
  readonly turns: number;
  /** Starts, one after the other. */
  readonly starts: number;
  readonly waits: number;
  /** Runs at once, and the agents of each. */
  readonly agents: { readonly runs: number; readonly length: number };
  /** Starts over HTTP of each round. */
  readonly httpStarts: number;
  /** Starts of a worker process. */
  readonly workerStarts: number;
  /** Window in which the commands of idle workers are counted, in milliseconds. */
  readonly idleMs: number;
  /** Number of templates that are rendered. */
  readonly renders: number;
  /** Number of commits that are encoded. */
  readonly encodes: number;
  readonly recall: { readonly memories: number; readonly dimensions: number; readonly turns: number };
  /** Two sizes of one shape: what the larger keeps more, by what it did more, is what one costs. */
  readonly kept: { readonly small: number; readonly large: number };
}

/** Sizes that the targets apply to. */
export const full: Sizes = {
  chain: 500,
  chains: 200,
  length: 50,
  units: 1000,
  hugeMap: 200_000,
  turns: 3000,
  starts: 100,
  waits: 1000,
  agents: { runs: 10, length: 20 },
  httpStarts: 300,
  workerStarts: 5,
  idleMs: 20_000,
  renders: 5000,
  encodes: 20_000,
  recall: { memories: 5000, dimensions: 1536, turns: 20 },
  kept: { small: 100, large: 1100 },
};

/** Enough to see that it works; the numbers mean nothing. */
export const tiny: Sizes = {
  chain: 10,
  chains: 4,
  length: 5,
  units: 10,
  hugeMap: 20,
  turns: 10,
  starts: 2,
  waits: 4,
  agents: { runs: 2, length: 2 },
  httpStarts: 3,
  workerStarts: 1,
  idleMs: 200,
  renders: 5,
  encodes: 5,
  recall: { memories: 20, dimensions: 16, turns: 2 },
  kept: { small: 4, large: 14 },
};
