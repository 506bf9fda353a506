import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime } from '@millrace/runtime';
import { scheduleOf } from '@millrace/runtime';
import type { Logger } from 'pino';
import type { RunningBatches } from './batches/start-batches.ts';
import type { RunningSchedules } from './schedules/start-schedules.ts';

/** Parts that the takeover of schedules and batches needs. */
export interface TakeOverOptions {
  readonly takeover: NonNullable<Runtime['takeover']>;
  readonly schedules: Pick<RunningSchedules, 'follow'>;
  readonly batches: Pick<RunningBatches, 'push'>;
  readonly log: Logger;
}

const everyMs = 1000;

/** Takes over schedules and batches of servers of earlier versions, until it is closed. `begun` resolves after the first pass. */
export function takeOverBackground({ takeover, schedules, batches, log }: TakeOverOptions): {
  readonly begun: Promise<void>;
  close(): Promise<void>;
} {
  const stop = new AbortController();
  const once = () =>
    takeover
      .background({
        follow: (series, schedule) => schedules.follow(scheduleOf(series).tenant, schedule),
        push: batches.push,
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted)
          log.warn({ err: error }, 'orders of an earlier version were not taken over; trying again');
      });
  const begun = once();
  const ended = (async () => {
    await begun;
    while (!stop.signal.aborted) {
      await pause(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (!stop.signal.aborted) await once();
    }
  })();
  return {
    begun,
    async close() {
      stop.abort();
      await ended;
    },
  };
}
