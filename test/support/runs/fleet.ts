import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry, RunId } from '@millrace/core';
import type { Runtime, Violation } from '@millrace/runtime';
import { connect, openRuntime } from '@millrace/runtime';
import type { Redis } from 'ioredis';
import { createKeys } from '../../../packages/runtime/src/adapters/redis/location/keys.ts';
import type { WorkerProcess } from '../processes/worker-process.ts';
import { startWorkerProcess } from '../processes/worker-process.ts';
import type { RedisServer } from '../redis/redis.ts';
import { startRedis } from '../redis/redis.ts';
import type { RedisProxy } from '../redis/redis-proxy.ts';
import { openRedisProxy } from '../redis/redis-proxy.ts';
import { audit, journalOf } from './audit.ts';
import { leftovers } from './leftovers.ts';
import type { Result, Scenario } from './scenario.ts';
import { driveRun, resultOf, workflowOf } from './scenario.ts';
import { untilEntry } from './watching.ts';

/** A fleet for fault tests: a Redis of its own, worker processes, and a client that starts runs, watches and answers. */
export interface Fleet {
  readonly redis: RedisServer;
  /** Proxy through which all processes reach Redis. */
  readonly proxy: RedisProxy;
  readonly connection: Redis;
  readonly runtime: Runtime;
  /** Starts one more worker process. */
  startWorker(variables?: Readonly<Record<string, string>>): Promise<WorkerProcess>;
  start(scenario: Scenario, delayMs: number): Promise<RunId>;
  /** The first entry of the run's journal for which this holds, when it is there. */
  until(run: RunId, holds: (entry: JournalEntry) => boolean): Promise<JournalEntry>;
  /** Answers what is asked, and gives the result. */
  finish(run: RunId, scenario: Scenario): Promise<Result>;
  journal(run: RunId): Promise<readonly JournalEntry[]>;
  /**
   * Returns the defects of these runs, all of which have ended, once the queue is done with them. Keys of which
   * `except` holds are not checked.
   */
  inspect(runs: readonly RunId[], except?: (key: string) => boolean): Promise<Inspection>;
  /** Deletes all that BullMQ knows. */
  wipeQueue(): Promise<void>;
  close(): Promise<void>;
}

/** Violations and leftover keys of the inspected runs. */
export interface Inspection {
  readonly violations: readonly Violation[];
  readonly leftovers: readonly string[];
}

const vocabulary = createVocabulary();
const queueClearsWithinMs = 10_000;

/** Opens a fleet without workers; `settings` are arguments of its Redis. */
export async function openFleet(settings: readonly string[] = []): Promise<Fleet> {
  const redis = await startRedis(settings);
  const proxy = await openRedisProxy(redis.url);
  const connection = connect(proxy.url, 'test');
  const runtime = await openRuntime({ redisUrl: proxy.url }, vocabulary, () => undefined);
  const workers: WorkerProcess[] = [];
  return {
    redis,
    proxy,
    connection,
    runtime,
    async startWorker(variables) {
      const worker = await startWorkerProcess(proxy.url, variables);
      workers.push(worker);
      return worker;
    },
    start: (scenario, delayMs) =>
      runtime.runs.start({ workflow: workflowOf(scenario, vocabulary, delayMs), input: scenario.input }),
    until: (run, holds) => untilEntry(runtime.runs, run, holds),
    finish: async (run, scenario) => resultOf(await driveRun(runtime.runs, run, scenario)),
    journal: (run) => journalOf(runtime.store, run),
    async inspect(runs, except = () => false) {
      const violations = await Promise.all(runs.map((run) => audit(runtime.store, run, vocabulary)));
      const look = async () => (await leftovers(connection, runtime.store, runs)).filter((key) => !except(key));
      return { violations: violations.flat(), leftovers: await settled(look) };
    },
    async wipeQueue() {
      // In one step: a job that is added between a look and the deletion would be left in no list.
      const wipe = "for _, key in ipairs(redis.call('keys', ARGV[1])) do redis.call('del', key) end";
      await connection.eval(wipe, 0, `${createKeys().home}:jobs:*`);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.kill()));
      await runtime.close();
      connection.disconnect();
      await proxy.close();
      await redis.stop();
    },
  };
}

/** A job outlives the commit that ends its run by a moment. */
async function settled(look: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const giveUp = Date.now() + queueClearsWithinMs;
  for (;;) {
    const found = await look();
    if (found.length === 0 || Date.now() > giveUp) return found;
    await sleep(50);
  }
}
