import { Queue } from 'bullmq';
import { createKeys } from '../store/keys.ts';
import type { BullJobOptions } from './bull-options.ts';

/** Job schedulers of BullMQ in which older versions kept their ticks; they used the clocks of the processes. */
export interface JobSchedulers {
  /** Returns the earliest pending time of a series; undefined when there is none. */
  nextOf(series: string): Promise<number | undefined>;
  remove(series: string): Promise<void>;
  /** Removes all of them, unless a process of an older version still works on them. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** The stored format of the versions that used them; see store/format.ts. */
const formatOfJobSchedulers = 1;

interface Series {
  readonly series: string;
}

/** Opens what older versions have left in Redis. */
export function openJobSchedulers({ shard: { connection, keys }, onError }: BullJobOptions): JobSchedulers {
  const { home: prefix } = createKeys(keys.prefix, formatOfJobSchedulers);
  let opened: Queue<Series, void, string> | undefined;
  const queue = () => {
    opened ??= new Queue<Series, void, string>('schedules', { connection, prefix });
    opened.on('error', onError);
    return opened;
  };
  const meta = `${prefix}:schedules:meta`;
  /** Checks the key before a queue is opened, which would write it. */
  const isThere = async () => opened !== undefined || (await connection.exists(meta)) === 1;
  return {
    async nextOf(series) {
      if (!(await isThere())) return undefined;
      const scheduler = await queue().getJobScheduler(series);
      // The one that is delayed is at the next time of its scheduler.
      const jobs = await queue().getJobs(['active', 'waiting']);
      const times = jobs
        .filter((job) => job.data.series === series)
        .map(({ opts, timestamp }) => opts.prevMillis ?? timestamp);
      if (scheduler?.next !== undefined) times.push(scheduler.next);
      return times.length === 0 ? undefined : Math.min(...times);
    },
    async remove(series) {
      if (await isThere()) await queue().removeJobScheduler(series);
    },
    async retire() {
      if (!(await isThere()) || (await queue().getWorkersCount()) > 0) return;
      await queue().obliterate({ force: true });
      await opened?.close();
      opened = undefined;
    },
    async close() {
      await opened?.close();
    },
  };
}
