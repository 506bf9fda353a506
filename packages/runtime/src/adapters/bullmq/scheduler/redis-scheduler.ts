import { announceChange } from '../../../live/refresh.ts';
import type { Broadcast } from '../../../ports/broadcast.ts';
import { nextTick } from '../../../ports/cron.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Shard } from '../../redis/connection/shard.ts';
import type { ActiveJobs } from '../queue/active-jobs.ts';
import { consumeTicks } from './tick-consumer.ts';
import { createTickStore } from './tick-store.ts';

/** Series of ticks in Redis. */
export interface RedisScheduler extends Scheduler {
  close(): Promise<void>;
}

/** Series of ticks that follow the clock of Redis, whatever the clocks of the processes that work on them say. */
export function createRedisScheduler({ shard, broadcast, onError, activeJobs }: BullJobOptions): RedisScheduler {
  const store = createTickStore(shard);
  const consumers = new Set<{ close(): Promise<void> }>();
  return {
    async set(series, { cron, timezone }) {
      for (;;) {
        const entry = await store.read(series);
        if (entry?.cron === cron && entry.timezone === timezone) return;
        const at = nextTick({ cron, timezone }, await store.now());
        const after = { cron, timezone, at, failures: 0 };
        if (await store.put(series, { before: entry, after, dueAt: at })) return announceChange(broadcast, 'ticks');
      }
    },
    clear: (series) => store.remove(series),
    find: (series) => store.read(series),
    consume(perform) {
      const consumer = consumeTicks(store, { broadcast, perform, onError });
      consumers.add(consumer);
      activeJobs?.add({ pause: () => consumer.close() });
      return consumer;
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
    },
  };
}

/** Options of queues of background jobs and of the scheduler. */
export interface BullJobOptions {
  readonly shard: Shard;
  /** Announces new series of ticks; absent: they are looked for more often. */
  readonly broadcast?: Broadcast;
  /** Counts the active jobs; absent: a separate counter. */
  readonly activeJobs?: ActiveJobs;
  /** Called with errors of Redis. */
  readonly onError: (error: Error) => void;
}
