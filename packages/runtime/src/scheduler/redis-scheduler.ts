import { announceChange } from '../live/refresh.ts';
import type { BullJobOptions } from './bull-options.ts';
import { nextTick } from './cron.ts';
import type { JobSchedulers } from './job-schedulers.ts';
import { openJobSchedulers } from './job-schedulers.ts';
import type { Scheduler } from './scheduler.ts';
import { consumeTicks } from './tick-consumer.ts';
import { createTickStore } from './tick-store.ts';

/** Series of ticks in Redis. */
export interface RedisScheduler extends Scheduler {
  close(): Promise<void>;
}

/** Series of ticks that follow the clock of Redis, whatever the clocks of the processes that work on them say. */
export function createRedisScheduler({ shard, broadcast, onError, activeJobs }: BullJobOptions): RedisScheduler {
  const store = createTickStore(shard);
  const before: JobSchedulers = openJobSchedulers({ shard, onError });
  const consumers = new Set<{ close(): Promise<void> }>();
  return {
    async set(series, { cron, timezone }) {
      for (;;) {
        const entry = await store.read(series);
        if (entry?.cron === cron && entry.timezone === timezone) return;
        const next = nextTick({ cron, timezone }, await store.now());
        // A time that an older version had planned stays.
        const planned = entry === undefined ? await before.nextOf(series) : undefined;
        const at = Math.min(next, planned ?? next);
        const after = { cron, timezone, at, failures: 0 };
        if (await store.put(series, { before: entry, after, dueAt: at })) return announceChange(broadcast, 'ticks');
      }
    },
    async clear(series) {
      await store.remove(series);
      await before.remove(series);
    },
    find: (series) => store.read(series),
    retire: () => before.retire(),
    consume(perform) {
      const consumer = consumeTicks(store, { broadcast, perform, onError });
      consumers.add(consumer);
      activeJobs?.add({ pause: () => consumer.close() });
      return consumer;
    },
    async close() {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await before.close();
    },
  };
}
