import type { RunId } from '@millrace/core';
import type { Job } from 'bullmq';
import { Queue as BullQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Shard } from '../redis/shard.ts';
import { formatsBefore } from '../store/format.ts';
import type { Keys } from '../store/keys.ts';
import { createKeys } from '../store/keys.ts';

/** Keys in which BullMQ keeps pending jobs. */
const lists = ['wait', 'prioritized', 'delayed', 'active'] as const;
/** Jobs moved in one go. */
const atOnce = 500;

type AnyJob = Job<unknown, unknown, string>;
type AnyQueue = BullQueue<unknown, unknown, string>;

/**
 * Moves the jobs of these queues from builds of earlier formats to this one. An active job stays with its process.
 * Returns the runs of active jobs.
 */
export async function sweepJobs({ connection, keys }: Shard, names: readonly string[]): Promise<ReadonlySet<RunId>> {
  const activeJobs = new Set<RunId>();
  const earlier = formatsBefore(keys.format).map((format) => createKeys(keys.prefix, format));
  const places = earlier.flatMap(({ home }) => names.flatMap((name) => lists.map((list) => `${home}:${name}:${list}`)));
  if (places.length === 0 || (await connection.exists(places)) === 0) return activeJobs;
  for (const before of earlier) {
    for (const name of names)
      for (const run of await sweepQueue(connection, { before, keys, name })) activeJobs.add(run);
  }
  return activeJobs;
}

interface QueueSweep {
  readonly before: Keys;
  readonly keys: Keys;
  readonly name: string;
}

async function sweepQueue(connection: Redis, { before, keys, name }: QueueSweep): Promise<readonly RunId[]> {
  const from: AnyQueue = new BullQueue(name, { connection, prefix: before.home, skipMetasUpdate: true });
  const to: AnyQueue = new BullQueue(name, { connection, prefix: keys.home });
  const isInHand = async (id: string) => (await connection.exists(`${from.toKey(id)}:lock`)) === 1;
  // BullMQ keeps the time of a delayed job, in milliseconds, in all but the last twelve bits of its score.
  const restOf = async (id: string) =>
    Math.max(0, Math.floor(Number((await connection.zscore(from.toKey('delayed'), id)) ?? 0) / 0x1000) - Date.now());
  try {
    const jobs = await from.getJobs([...lists], 0, atOnce - 1);
    const activeJobs: RunId[] = [];
    for (const job of jobs as (AnyJob | undefined)[]) {
      // One that was removed meanwhile leaves a gap.
      if (job?.id === undefined) continue;
      if ((await isInHand(job.id)) || !(await moved(job, { to, delayMs: await restOf(job.id) })))
        for (const run of runIn(job)) activeJobs.push(run);
    }
    return activeJobs;
  } finally {
    await Promise.all([from.close(), to.close()]);
  }
}

/** Adds a job before it is removed from its old queue, so that a crash in between duplicates and never loses it. */
async function moved(
  job: AnyJob,
  { to, delayMs }: { readonly to: AnyQueue; readonly delayMs: number },
): Promise<boolean> {
  const { id = '', name, data, opts } = job;
  await to.add(name, data, { ...opts, jobId: id, delay: delayMs });
  try {
    await job.remove();
    return true;
  } catch {
    // A worker has just taken it.
    await to.remove(id);
    return false;
  }
}

const runIn = ({ data }: AnyJob): readonly RunId[] =>
  typeof data === 'object' && data !== null && 'run' in data && typeof data.run === 'string' ? [data.run] : [];
