import { randomUUID } from 'node:crypto';
import { createVocabulary } from '@millrace/catalog';
import { connect, createBullQueue, createRedisStore, createShard } from '@millrace/runtime';
import { expect } from 'vitest';
import { openRedisProxy } from '../redis/redis-proxy.ts';
import { audit } from '../runs/audit.ts';
import type { InProcess } from '../runs/process.ts';
import { limitsOfSmallParts, startInProcess } from '../runs/process.ts';
import type { Result, Scenario } from '../runs/scenario.ts';
import { driveRun, resultOf, resultWithoutFaults, workflowOf } from '../runs/scenario.ts';

/** Fate of the last request of a process that dies with it. */
export type Fate = 'lost' | 'passed on';
export const fates: readonly Fate[] = ['lost', 'passed on'];

const vocabulary = createVocabulary();
/** Crashes that are tried side by side; most of the time they wait for a lock to run out. */
const abreast = 16;

/**
 * Plays a scenario in a process that dies with its first request to Redis, its second, and so on until it is over
 * before it dies; another process takes over each time, and must produce the same result as without faults. Gives the number of
 * requests.
 */
export async function crashAtEveryRequest(redisUrl: string, scenario: Scenario, fate: Fate): Promise<number> {
  const expected = await resultWithoutFaults(scenario, vocabulary, limitsOfSmallParts);
  let next = 1;
  let over = Number.POSITIVE_INFINITY;
  const lane = async () => {
    while (next < over) {
      const at = next++;
      const result = await crash(redisUrl, scenario, { at, fate });
      if (result === undefined) over = Math.min(over, at);
      else expect(result, `request ${at}`).toEqual(expected);
    }
  };
  await Promise.all(Array.from({ length: abreast }, lane));
  return over - 1;
}

interface Death {
  readonly at: number;
  readonly fate: Fate;
}

/** The result after a death; undefined when the run was over before. */
async function crash(redisUrl: string, scenario: Scenario, { at, fate }: Death): Promise<Result | undefined> {
  const prefix = `{test-${randomUUID()}}`;
  const run = `run_${randomUUID().replaceAll('-', '')}`;
  const proxy = await openRedisProxy(redisUrl);
  const dead = proxy.endAt(at, fate).then(() => undefined);
  const first = open(proxy.url, prefix);
  const playing = driveToResult(first.worker, run, scenario);
  const result = await Promise.race([playing, dead]);
  // What it still waits for never comes.
  playing.catch(() => undefined);
  await first.close();
  await proxy.close();
  if (result !== undefined) return undefined;
  const second = open(redisUrl, prefix);
  const recovered = await driveToResult(second.worker, run, scenario);
  expect(await audit(second.store, run, vocabulary), `request ${at}`).toEqual([]);
  await second.close();
  return recovered;
}

/** A process on a connection of its own. */
function open(url: string, prefix: string) {
  const connection = connect(url, 'test');
  const onError = () => undefined;
  const store = createRedisStore({ shard: createShard(connection, prefix), graceMs: 50 });
  const queue = createBullQueue({
    shard: createShard(connection, prefix),
    onError,
    lockDurationMs: 300,
    stalledIntervalMs: 100,
  });
  const worker = startInProcess(store, queue, vocabulary);
  return {
    store,
    worker,
    async close() {
      connection.disconnect();
      await worker.stop();
    },
  };
}

/** Starts a run, or finds it started, and answers its questions to the end. */
async function driveToResult({ runs }: InProcess, run: string, scenario: Scenario): Promise<Result> {
  await runs.start({ workflow: workflowOf(scenario, vocabulary), input: scenario.input, run });
  return resultOf(await driveRun(runs, run, scenario));
}
