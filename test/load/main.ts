import { setTimeout as sleep } from 'node:timers/promises';
import { applyLoad } from './drive.ts';
import { startInstallation } from './installation.ts';
import { startModelServer } from './model-server.ts';
import type { Options } from './options.ts';
import { readOptions, usage } from './options.ts';
import { profileOf } from './profiles.ts';
import { read } from './reading.ts';
import type { Measured, Result } from './result.ts';
import { markdownOf, resultOf, tableOf } from './result.ts';

/*
 * `npm run load`: an installation of real processes under a steady load, once for each number of workers. It shows what
 * an activation costs each part, and how the rate grows with the workers.
 */

const report = (line: string) => void process.stderr.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (typeof options === 'string') {
    report(`${options}\n${usage}`);
    return 2;
  }
  const results: Result[] = [];
  for (const workers of options.workers) {
    report(`${options.profile}: ${workers} ${workers === 1 ? 'worker' : 'workers'} for ${options.seconds} s`);
    results.push(resultOf(await measure(options, workers), results[0]));
  }
  process.stdout.write(`${written[options.output](results)}\n`);
  return 0;
}

const written: Readonly<Record<Options['output'], (results: readonly Result[]) => string>> = {
  table: tableOf,
  markdown: markdownOf,
  json: (results) => JSON.stringify(results, null, 2),
};

/** Time before the measurement, in which processes warm up. */
const warmUpMs = 5000;

async function measure(options: Options, workers: number): Promise<Measured> {
  const models = await startModelServer(options.modelMs);
  const installation = await startInstallation(workers, options.concurrency);
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  try {
    const profile = profileOf(options.profile, models.url);
    const load = await applyLoad(installation.apiUrl, profile, workers * options.concurrency * profile.runsPerSlot);
    const lasts = (ms: number) => Promise.race([sleep(ms, undefined, { signal: stopped.signal }), load.failed]);
    await lasts(warmUpMs);
    load.taken();
    const from = await read(installation);
    await lasts(options.seconds * 1000);
    const to = await read(installation);
    const latencies = load.taken();
    await load.stop();
    return { options, workers, from, to, latencies };
  } finally {
    await installation.close();
    models.close();
  }
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  report(error instanceof Error ? error.message : String(error));
  return 1;
});
