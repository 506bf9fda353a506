import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideRedis } from '@millrace/runtime';
import { Redis } from 'ioredis';
import { floorChains, floorFanOut } from './floor.ts';
import { growthOf, growthTable } from './growth.ts';
import { openBench } from './millrace.ts';
import { recallTimes } from './recall.ts';
import { chain, loop, map } from './workflows.ts';

/*
 * `npm run bench [-- --json] [--rounds N]`: the engine and the floor side by side on one Redis, medians of several
 * rounds. With `--table growth` the engine alone, on chains, loops and maps of 100, 1,000 and 10,000. Absolute times mean little on a shared machine; the ratio in one run does.
 */

/** One line of the result; `ratio` says how the engine does against the floor. */
interface Line {
  readonly floor?: number;
  readonly millrace: number;
  readonly ratio?: number;
  readonly unit: string;
}

/** Before the first round that counts: a process that has just started is slower, ours more than the floor. */
const warmUps = 3;
const rounds = Number(option('--rounds') ?? 5);
const json = process.argv.includes('--json');

function option(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

type Pair = readonly [floor: number, millrace: number];

async function pairs(name: string, measure: () => Promise<Pair>): Promise<readonly Pair[]> {
  for (let round = 0; round < warmUps; round++) await measure();
  const measured: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    process.stderr.write(`${name}: round ${round + 1} of ${rounds}\n`);
    measured.push(await measure());
  }
  return measured;
}

/** Times per piece of work: less is better. */
const times = (measured: readonly Pair[], pieces: number, unit: string): Line => ({
  floor: median(measured.map(([floor]) => floor / pieces)),
  millrace: median(measured.map(([, millrace]) => millrace / pieces)),
  ratio: median(measured.map(([floor, millrace]) => millrace / floor)),
  unit,
});

/** Pieces of work per second: more is better. */
const rates = (measured: readonly Pair[], pieces: number, unit: string): Line => ({
  floor: median(measured.map(([floor]) => (pieces / floor) * 1000)),
  millrace: median(measured.map(([, millrace]) => (pieces / millrace) * 1000)),
  ratio: median(measured.map(([floor, millrace]) => floor / millrace)),
  unit,
});

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const redis = await provideRedis({ directory, report: (line) => process.stderr.write(`${line}\n`) });
  const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
  const bench = await openBench(redis.url);
  try {
    if (option('--table') === 'growth') {
      const growth = await growthOf(bench, { rounds, report: (line) => process.stderr.write(`${line}\n`) });
      process.stdout.write(json ? `${JSON.stringify(growth)}\n` : growthTable(growth));
      return;
    }
    const lines: Record<string, Line> = {
      chain: times(
        await pairs('chain', async () => [
          await floorChains(connection, { chains: 1, length: 500, concurrency: 1 }),
          await bench.time(chain(500), { runs: 1, concurrency: 1 }),
        ]),
        500,
        'ms per activation',
      ),
      throughput: rates(
        await pairs('throughput', async () => [
          await floorChains(connection, { chains: 200, length: 50, concurrency: 50 }),
          await bench.time(chain(50), { runs: 200, concurrency: 50 }),
        ]),
        10_000,
        'activations per second',
      ),
      map: times(
        await pairs('map', async () => [
          await floorFanOut(connection, { units: 1000, concurrency: 50 }),
          await bench.time(map(1000, 1000), { runs: 1, concurrency: 50 }),
        ]),
        1000,
        'ms per unit',
      ),
    };
    const turns = 2000;
    lines.loop = {
      millrace: (await bench.time(loop(turns), { runs: 1, concurrency: 1 })) / turns,
      unit: 'ms per turn',
    };
    const { cold, warm } = await recallTimes(bench, { memories: 5000, dimensions: 1536 });
    const first = `${cold.toFixed(0)} ms in a worker that has not read them`;
    lines.recall = { millrace: warm, unit: `ms per agent that recalls 5,000 memories of 1,536 numbers; ${first}` };
    print(lines);
  } finally {
    await bench.close();
    connection.disconnect();
    await redis.release();
    await rm(directory, { recursive: true, force: true });
  }
}

function print(lines: Readonly<Record<string, Line>>): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(lines)}\n`);
    return;
  }
  const shown = (value: number | undefined) => (value === undefined ? '–' : value.toPrecision(3)).padStart(10);
  process.stdout.write(
    `${'scenario'.padEnd(12)}${'floor'.padStart(10)}${'millrace'.padStart(10)}${'ratio'.padStart(10)}  unit\n`,
  );
  for (const [name, line] of Object.entries(lines)) {
    process.stdout.write(
      `${name.padEnd(12)}${shown(line.floor)}${shown(line.millrace)}${shown(line.ratio)}  ${line.unit}\n`,
    );
  }
}

await main();
