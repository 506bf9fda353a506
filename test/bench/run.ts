import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideRedis } from '@millrace/runtime';
import { Redis } from 'ioredis';
import { encodeLine } from './encode.ts';
import { growthOf, growthTable } from './growth.ts';
import { httpStartLines } from './http-starts.ts';
import { idleLines } from './idle.ts';
import { keptBy } from './kept.ts';
import type { Options } from './options.ts';
import { readOptions, usage } from './options.ts';
import { measurePeers } from './peers/peers.ts';
import { recallTimes } from './recall.ts';
import { renderMicroseconds } from './render.ts';
import { regressions, writeBaseline } from './report/baseline.ts';
import type { Line } from './report/line.ts';
import { lookAtMachine } from './report/machine.ts';
import type { Result } from './report/result.ts';
import { withScaling } from './report/result.ts';
import { tableOf } from './report/table.ts';
import { measure } from './rounds.ts';
import { workerStartMs } from './worker-start.ts';
import { startBenchWorkers } from './workload/bench-workers.ts';
import { startFarRedis } from './workload/far-redis.ts';
import { openBench } from './workload/millrace.ts';
import { startProvider } from './workload/provider.ts';
import type { Place } from './workload/scenarios.ts';
import { map } from './workload/workflows.ts';

/*
 * `npm run bench`: the engine and the floor side by side on one Redis, in several rounds. Counts, bytes and allocations hold on
 * every machine; times and processor times hold for this one. With `--table growth` the engine alone, on chains, loops and
 * maps of 100, 1,000 and 10,000.
 */

const report = (line: string) => void process.stderr.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    report(`${options}\n${usage}`);
    return 2;
  }
  const { text, failures = [] } = await inPlace(options, options.growth ? growth : sideBySide);
  process.stdout.write(text);
  for (const failure of failures) report(failure);
  return failures.length === 0 ? 0 : 1;
}

/** Printed report, and the regressions in it. */
interface Outcome {
  readonly text: string;
  readonly failures?: readonly string[];
}

type Measuring = (place: Place & { readonly redisUrl: string }, options: Options) => Promise<Outcome>;

async function inPlace(options: Options, work: Measuring): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const opened: (() => unknown)[] = [() => rm(directory, { recursive: true, force: true })];
  try {
    const redis = await provideRedis({ directory, report });
    opened.push(redis.release);
    stopOnSignals(async () => {
      await redis.release();
      await rm(directory, { recursive: true, force: true });
    });
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    opened.push(() => connection.disconnect());
    const bench = await openBench(redis.url, connection);
    opened.push(bench.close);
    const workers = await startBenchWorkers(redis.url, 2);
    opened.push(workers.close);
    const { sizes } = options;
    const onDemand = startedOnDemand(redis.url, opened);
    return await work({ connection, bench, hands: workers, ...onDemand, sizes, redisUrl: redis.url }, options);
  } finally {
    for (const close of opened.reverse()) await close();
  }
}

/** Returns those parts of the place that only some scenarios need; what is started is added to what must be closed. */
function startedOnDemand(redisUrl: string, opened: (() => unknown)[]): Pick<Place, 'far' | 'provider'> {
  return {
    far: once(async () => {
      const { url, close } = await startFarRedis(redisUrl);
      opened.push(close);
      const connection = new Redis(url, { maxRetriesPerRequest: null });
      opened.push(() => connection.disconnect());
      const bench = await openBench(url, connection);
      opened.push(bench.close);
      return { connection, bench };
    }),
    provider: once(async () => {
      const provider = await startProvider();
      opened.push(provider.close);
      return provider.url;
    }),
  };
}

/** Returns a function that starts something when it is first called. */
function once<T>(start: () => Promise<T>): () => Promise<T> {
  let started: Promise<T> | undefined;
  return () => {
    started ??= start();
    return started;
  };
}

/** Exits on a signal without finishing the measurement, after removing the data written for it, which may be much. */
function stopOnSignals(tidy: () => Promise<void>): void {
  const stop = (_signal: string, number: number) => void tidy().finally(() => process.exit(128 + number));
  process.once('SIGINT', stop).once('SIGTERM', stop);
}

async function growth({ bench }: Place, { rounds, json }: Options): Promise<Outcome> {
  const found = await growthOf(bench, { rounds, report });
  return { text: json ? `${JSON.stringify(found)}\n` : growthTable(found) };
}

const sideBySide: Measuring = async (place, options) => {
  const machine = lookAtMachine();
  const { rounds, warmUpPieces, json, kept, idle, quick, sizes } = options;
  const { redisUrl } = place;
  const { everysec, always } = await measure(place, { names: options.scenarios, rounds, warmUpPieces, report });
  const result: Result = {
    ...withScaling(everysec),
    ...(options.hugeMap ? { hugeMap: await hugeMap(place) } : {}),
    ...(await httpStartLines(options.httpStarts, { redisUrl, starts: sizes.httpStarts, rounds, warmUpPieces, report })),
    ...(options.workerStart ? { workerStart: await workerStart(redisUrl, sizes.workerStarts) } : {}),
    ...(await keptBy(place, kept)),
    ...(options.recall ? { recall: await recall(place) } : {}),
    ...(options.render ? { render: await render(place) } : {}),
    ...(options.encode ? { encode: encodeLine(sizes.encodes, report) } : {}),
    ...(await idleLines(idle, { redisUrl, windowMs: sizes.idleMs, report })),
    always: withScaling(always),
    machine,
    ...(options.peers ? { peers: await measurePeers(sizes, report) } : {}),
  };
  if (options.baseline === 'write') await writeBaseline(everysec);
  const failures = options.baseline === 'check' ? await regressions(everysec) : [];
  if (json) return { text: `${JSON.stringify(result)}\n`, failures };
  return { text: quick ? `${tableOf(result)}${tooQuick}\n` : tableOf(result), failures };
};

const tooQuick =
  '--quick is too little work to be measured: it shows that all of it runs, and no number means anything';

async function hugeMap({ bench, sizes: { hugeMap: units } }: Place): Promise<Line> {
  report('hugeMap');
  const { ms, turnMs, commandMs } = await bench.time(map(units, 1000), { runs: 1, concurrency: 50 });
  const unit = `ms per unit of a map of ${units.toLocaleString('en')}, once`;
  return { millrace: ms / units, unit, longest: { turnMs, commandMs } };
}

async function workerStart(redisUrl: string, starts: number): Promise<Line> {
  report('workerStart');
  const unit = 'ms of processor time until a worker process takes work';
  return { millrace: await workerStartMs(redisUrl, starts), unit };
}

async function recall({ bench, sizes }: Place) {
  report('recall');
  const { cold, warm } = await recallTimes(bench, sizes.recall);
  const { memories, dimensions } = sizes.recall;
  const what = `${memories.toLocaleString('en')} memories of ${dimensions.toLocaleString('en')} numbers`;
  const first = `${cold.toFixed(0)} ms in a worker that has not read them`;
  return { millrace: warm, unit: `ms per agent that recalls ${what}; ${first}` };
}

async function render({ sizes }: Place) {
  report('render');
  return { millrace: await renderMicroseconds(sizes.renders), unit: 'µs of the main thread per small template' };
}

process.exitCode = await main(process.argv.slice(2));
