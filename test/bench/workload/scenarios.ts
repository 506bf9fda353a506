import type { Redis } from 'ioredis';
import type { Cost } from '../cost.ts';
import type { Work } from '../report/line.ts';
import type { BenchWorkers, Side } from './bench-workers.ts';
import { farMs } from './far-redis.ts';
import { floorChains, floorFanOut, floorStarts, floorWaits, startChains } from './floor.ts';
import type { Bench } from './millrace.ts';
import { askTwice } from './provider.ts';
import type { Sizes } from './sizes.ts';
import { agents, chain, httpAgents, loop, map, question } from './workflows.ts';

/** Resources that both sides work with. */
export interface Place {
  /** Plain BullMQ's connection. */
  readonly connection: Redis;
  readonly bench: Bench;
  /** Two worker processes. */
  readonly hands: BenchWorkers;
  /** Both sides behind a proxy that makes each round trip to Redis longer by {@link farMs}. */
  readonly far: () => Promise<Pick<Place, 'connection' | 'bench'>>;
  /** Starts a model provider on the loopback interface, once, and returns its address. */
  readonly provider: () => Promise<string>;
  readonly sizes: Sizes;
}

/** The same work done by each side, and its cost. */
export interface Scenario {
  work(sizes: Sizes): Work;
  floor(place: Place): Promise<Cost>;
  millrace(place: Place): Promise<Cost>;
}

const concurrency = 50;

/** 200 chains of 50, worked on by so many processes; this one only starts them. */
const throughput = (processes: number): Scenario => {
  const time = ({ connection, hands: workers, sizes }: Place, side: Side, start: () => Promise<unknown>) =>
    workers.time(connection, { side, processes, concurrency: concurrency / processes, ends: sizes.chains, start });
  return {
    work: ({ chains, length }) => ({
      pieces: chains * length,
      measure: 'per second',
      unit: `activations per second, ${processes === 1 ? 'one worker process' : `${processes} worker processes`}`,
    }),
    floor: (place) => time(place, 'floor', () => startChains(place.connection, place.sizes)),
    millrace: (place) => {
      const { bench, sizes } = place;
      const workflow = chain(sizes.length);
      const start = () => bench.runtime.runs.start({ workflow, input: 'go' });
      return time(place, 'millrace', () => Promise.all(Array.from({ length: sizes.chains }, start)));
    },
  };
};

/** Scenarios that are measured side by side, by the names that results have. */
export const scenarios = {
  chain: {
    work: (sizes) => ({ pieces: sizes.chain, measure: 'ms', unit: 'ms per activation' }),
    floor: ({ connection, sizes }) => floorChains(connection, { chains: 1, length: sizes.chain }),
    millrace: ({ bench, sizes }) => bench.time(chain(sizes.chain), { runs: 1, concurrency: 1 }),
  },
  throughput: throughput(1),
  throughput2: throughput(2),
  map: {
    work: ({ units }) => ({ pieces: units, measure: 'ms', unit: 'ms per unit' }),
    floor: ({ connection, sizes: { units } }) => floorFanOut(connection, { units, concurrency }),
    millrace: ({ bench, sizes: { units } }) => bench.time(map(units, 1000), { runs: 1, concurrency }),
  },
  loop: {
    work: ({ turns }) => ({ pieces: turns, measure: 'ms', unit: 'ms per turn of two activations' }),
    floor: ({ connection, sizes: { turns } }) => floorChains(connection, { chains: 1, length: 2 * turns }),
    millrace: ({ bench, sizes: { turns } }) => bench.time(loop(turns), { runs: 1, concurrency: 1 }),
  },
  start: {
    work: ({ starts }) => ({ pieces: starts, measure: 'ms', unit: 'ms from a start to its first activation at work' }),
    floor: ({ connection, sizes: { starts } }) => floorStarts(connection, starts),
    millrace: ({ bench, sizes: { starts } }) => bench.starts(chain(1), starts),
  },
  waits: {
    work: ({ waits }) => ({ pieces: waits, measure: 'ms', unit: 'ms per answer to an idle human wait' }),
    floor: ({ connection, sizes: { waits } }) => floorWaits(connection, { waits, concurrency }),
    millrace: ({ bench, sizes: { waits } }) => bench.answers(question(), { runs: waits, concurrency }),
  },
  agent: {
    work: ({ agents: { runs, length } }) => ({
      pieces: runs * length,
      measure: 'ms',
      unit: 'ms per agent whose model answers at once, with one tool call',
    }),
    floor: ({ connection, sizes: { agents: work } }) =>
      floorChains(connection, { chains: work.runs, length: work.length }),
    millrace: ({ bench, sizes: { agents: work } }) =>
      bench.time(agents(work.length), { runs: work.runs, concurrency: work.runs }),
  },
  agentHttp: {
    work: ({ agents: { runs, length } }) => ({
      pieces: runs * length,
      measure: 'ms',
      unit: 'ms per agent with one tool call, whose model is asked twice over HTTP',
    }),
    floor: async ({ connection, provider, sizes: { agents: work } }) => {
      const url = await provider();
      return floorChains(connection, { chains: work.runs, length: work.length, work: () => askTwice(url) });
    },
    millrace: async ({ bench, provider, sizes: { agents: work } }) =>
      bench.time(httpAgents(work.length, await provider()), { runs: work.runs, concurrency: work.runs }),
  },
  far: {
    work: (sizes) => ({ pieces: sizes.chain, measure: 'ms', unit: `ms per activation, with Redis ${farMs} ms away` }),
    floor: async ({ far, sizes }) => floorChains((await far()).connection, { chains: 1, length: sizes.chain }),
    millrace: async ({ far, sizes }) => (await far()).bench.time(chain(sizes.chain), { runs: 1, concurrency: 1 }),
  },
} satisfies Readonly<Record<string, Scenario>>;

/** Name of a scenario. */
export type ScenarioName = keyof typeof scenarios;
