import type { RunId } from '@millrace/core';
import { defaultQueue } from '@millrace/core';
import { Queue as BullQueue } from 'bullmq';
import type { Redis } from 'ioredis';
import { LruMap } from '../blobs/read-through-cache.ts';
import { backgroundQueues } from '../jobs/background-jobs.ts';
import type { QueueAdmin } from '../queue/queue-admin.ts';
import { runScript, scriptOf } from '../redis/commands/script.ts';
import type { Shard } from '../redis/shard.ts';
import type { Schedule } from '../resources/schedules.ts';
import { formatsBefore } from '../store/format.ts';
import type { Keys } from '../store/keys.ts';
import { bullName, createKeys, fileSweep } from '../store/keys.ts';
import { sweepAgenda } from './sweep-agenda.ts';
import type { TakenBatch } from './sweep-batches.ts';
import { sweepOpenBatches, takeEndedBatches } from './sweep-batches.ts';
import { sweepJobs } from './sweep-jobs.ts';
import { sweepOutbox } from './sweep-outbox.ts';
import { sweepSchedules } from './sweep-schedules.ts';

/** Takes over the data of builds with earlier formats. Each step can be repeated at any time. */
export interface Takeover {
  /** Takes over live runs. Called repeatedly by processes that execute runs. */
  runs(): Promise<void>;
  /**
   * Takes over the background work of servers. Called repeatedly by servers, for the first time before they accept
   * requests.
   */
  background(handling: BackgroundHandlers): Promise<void>;
}

/** Callbacks for schedules and batches that are taken over; they may be repeated. */
export interface BackgroundHandlers {
  /** Starts the ticks of a schedule. */
  follow(series: string, schedule: Schedule): Promise<void>;
  /** Continues a batch. */
  push(batch: TakenBatch): Promise<void>;
}

/** Options of {@link createTakeover}. */
export interface TakeoverOptions {
  readonly shard: Shard;
  readonly queueAdmin: Pick<QueueAdmin, 'pause'>;
  readonly report: (message: string, error: unknown) => void;
}

/** Takes over what is in a Redis. */
export function createTakeover(options: TakeoverOptions): Takeover {
  const { shard, report } = options;
  const { connection, keys } = shard;
  let hasBegun = false;
  let isReported = false;
  let hasEndedBatches = false;
  const checkLatestFormat = async (): Promise<void> => {
    const latest = await latestFormat(connection, keys);
    if (latest < keys.format) hasBegun = false;
    if (latest <= keys.format || isReported) return;
    isReported = true;
    const difference = `it stores runs in format ${latest}, and this process knows formats up to ${keys.format}`;
    report('a newer version of millrace serves this installation; its runs are left alone', new Error(difference));
  };
  const reported = new LruMap<void>({ limit: 1000 });
  const failed = (run: RunId, error: unknown): void =>
    void reported.of(`${run} ${String(error)}`, async () => report(`the run ${run} could not be taken over`, error));
  const begin = async (): Promise<void> => {
    if (hasBegun) return;
    await beginFormat(options);
    hasBegun = true;
  };
  return {
    async runs() {
      await Promise.all([checkLatestFormat(), begin()]);
      // A delivery of an earlier build finds no run that was taken over.
      await sweepAgenda(shard, { except: await sweepJobs(shard, ['webhooks']), failed });
    },
    async background({ follow, push }) {
      await Promise.all([checkLatestFormat(), begin()]);
      await sweepSchedules(shard, follow);
      if (!hasEndedBatches) await takeEndedBatches(shard);
      hasEndedBatches = true;
      await sweepOpenBatches(shard, push);
      await sweepOutbox(shard);
      await sweepJobs(shard, backgroundQueues);
    },
  };
}

/** Latest format with which an installation was ever served. */
async function latestFormat(connection: Redis, { latestFormat: key }: Keys): Promise<number> {
  return Number((await connection.get(key)) ?? 1);
}

/** Copies settings of the whole installation when it is served in a new format for the first time. */
async function beginFormat({ shard: { connection, keys }, queueAdmin }: TakeoverOptions): Promise<void> {
  if ((await latestFormat(connection, keys)) >= keys.format) return;
  for (const format of formatsBefore(keys.format)) {
    const before = createKeys(keys.prefix, format);
    for (const name of await pausedQueues(connection, before)) await queueAdmin.pause(name);
    // An earlier build does not find all references of a run of this format, so it must not sweep any more.
    await connection.set(before.held(fileSweep), `format ${keys.format}`);
  }
  await runScript(connection, raise, { keys: [keys.latestFormat], args: [keys.format] });
}

async function pausedQueues(connection: Redis, { home, queues }: Keys): Promise<readonly string[]> {
  const names = [defaultQueue, ...(await connection.smembers(queues))];
  const paused = await Promise.all(
    names.map(async (name) => {
      const queue = new BullQueue(bullName(name), { connection, prefix: home, skipMetasUpdate: true });
      const isPaused = await queue.isPaused();
      await queue.close();
      return isPaused;
    }),
  );
  return names.filter((_, at) => paused[at]);
}

/** Raises a number. KEYS: the number. ARGV: its new minimum. */
const raise = scriptOf(`
if tonumber(redis.call('get', KEYS[1]) or '1') < tonumber(ARGV[1]) then redis.call('set', KEYS[1], ARGV[1]) end
`);
