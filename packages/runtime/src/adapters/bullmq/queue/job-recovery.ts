import type { IQueueBackend } from 'bullmq';
import { createRedisBackend } from 'bullmq';
import { runScript, scriptOf } from '../../redis/commands/script.ts';
import type { Shard } from '../../redis/connection/shard.ts';

/*
 * The jobs of dead workers, and jobs that no worker has noticed, for all queues of an installation at once.
 *
 * By default, every worker of BullMQ checks its queue for jobs whose worker gives no sign of life, and asks for a job
 * every five seconds in case that it has missed a marker (an entry of `marker` that wakes one blocked worker, and is
 * lost if that worker dies with it). Both cost commands in every process and queue. With a recovery, one process does
 * this for all, and workers block for longer. The same process corrects the counts of wakes, which processes that died
 * leave behind.
 */

/** Queue of BullMQ whose jobs are recovered. */
export interface RecoveredQueue {
  readonly name: string;
  /** Prefix of its keys. */
  readonly prefix: string;
  /** Number of workers that may die over a job before it fails. */
  readonly maxStalledCount: number;
}

/** Options of BullMQ's workers of queues that are recovered; times in seconds. */
export const recoveredWorkerOptions = { skipStalledCheck: true, drainDelay: 60 } as const;

/** Recovers the jobs of queues; called about once a second by one process. */
export type RecoverJobs = (queues: readonly RecoveredQueue[]) => Promise<void>;

/** Shorter than the interval of the calls, so that none of them finds the check of the one before. */
const stalledInterval = 500;

/** Interval between two corrections of the counts, in milliseconds. */
const reconcileEveryMs = 5000;

/** Delay after all queues were empty, in milliseconds: the lock of a job that comes meanwhile lasts as long. */
const emptyDelayMs = 5000;

/**
 * Creates the recovery of jobs; `reconcile` corrects the counts of wakes. While all queues are empty, and nothing is
 * counted, it costs one command in five seconds.
 */
export function createJobRecovery({ connection, keys }: Shard, reconcile: () => Promise<void>): RecoverJobs {
  const countKeys = [keys.slots, `${keys.home}:share:tenants`];
  const backends = new Map<string, IQueueBackend>();
  const backendOf = ({ name, prefix, maxStalledCount }: RecoveredQueue): IQueueBackend => {
    const id = `${prefix}:${name}`;
    const known = backends.get(id);
    if (known !== undefined) return known;
    const options = { connection, prefix, maxStalledCount, stalledInterval, skipVersionCheck: true };
    const backend = createRedisBackend(name, options);
    // Errors of the connection are reported by its owner.
    backend.on('error', () => undefined);
    backends.set(id, backend);
    return backend;
  };
  let notBefore = Number.NEGATIVE_INFINITY;
  let reconciledAt = Number.NEGATIVE_INFINITY;
  return async (queues) => {
    if (performance.now() < notBefore) return;
    if ((await connection.exists([...countKeys, ...queues.flatMap(keysWithJobs)])) === 0) {
      notBefore = performance.now() + emptyDelayMs;
      return;
    }
    if (performance.now() - reconciledAt >= reconcileEveryMs) {
      reconciledAt = performance.now();
      await reconcile();
    }
    for (const queue of queues) {
      const keys = keysWithJobs(queue);
      if ((await connection.exists(keys)) === 0) continue;
      await backendOf(queue).moveStalledJobsToWait();
      const base = `${queue.prefix}:${queue.name}`;
      await runScript(connection, restoreMarkers, { keys: [`${base}:marker`, `${base}:meta`, ...keys], args: [] });
    }
  };
}

/** Keys of which one exists if the queue has a job that is not finished. */
const keysWithJobs = ({ prefix, name }: RecoveredQueue): string[] =>
  ['wait', 'prioritized', 'delayed', 'active', 'stalled'].map((part) => `${prefix}:${name}:${part}`);

/**
 * Wakes a worker of a queue with waiting jobs, and tells the time of the next delayed one. A marker too many only makes
 * a worker look. KEYS: markers, meta, wait, prioritized, delayed. BullMQ keeps the time of a delayed job, in
 * milliseconds, in all but the last twelve bits of its score.
 */
const restoreMarkers = scriptOf(`
local waits = redis.call('exists', KEYS[3], KEYS[4]) > 0
if waits and redis.call('hexists', KEYS[2], 'paused') == 0 then redis.call('zadd', KEYS[1], 0, '0') end
local delayed = redis.call('zrange', KEYS[5], 0, 0, 'withscores')
if delayed[2] and not redis.call('zscore', KEYS[1], '1') then
  redis.call('zadd', KEYS[1], math.floor(delayed[2] / 4096), '1')
end
`);
