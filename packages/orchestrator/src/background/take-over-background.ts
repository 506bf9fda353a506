import { setTimeout as sleep } from 'node:timers/promises';
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
  readonly startLease?: Runtime['startLease'] | undefined;
  readonly log: Logger;
}

const everyMs = 15_000;
const leaseMs = 15_000;

/**
 * Takes over schedules and batches of servers of earlier versions, until it is closed. `begun` resolves after the first
 * pass, which every server makes; the holder of a lease makes the later ones.
 */
export function takeOverBackground({ takeover, schedules, batches, startLease, log }: TakeOverOptions): {
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
  const lease = startLease?.({ name: 'takeover-of-background', leaseMs });
  const ended = (async () => {
    await begun;
    while (!stop.signal.aborted) {
      await sleep(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
      await lease?.whenHeld(stop.signal);
      if (!stop.signal.aborted) await once();
    }
  })();
  return {
    begun,
    async close() {
      stop.abort();
      await ended;
      await lease?.close();
    },
  };
}
