import { setTimeout as sleep } from 'node:timers/promises';
import type { StartContext } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { Runtime, Schedule, Scheduler, Tick } from '@millrace/runtime';
import { allSchedules, createTenantRuntime, scheduleOf, seriesOf } from '@millrace/runtime';
import type { Logger } from 'pino';
import { dueTicks } from './due.ts';
import { startTick } from './tick.ts';

/** Interval at which schedules are compared with their ticks, in milliseconds. */
const repairEveryMs = 60_000;

/** Parts that schedules need. */
export interface SchedulesOptions extends Omit<StartContext, 'tenant'> {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly ticks: Scheduler;
  readonly log: Logger;
}

/** Schedules that this process executes. */
export interface RunningSchedules {
  /** Sets the ticks of a schedule by its definition; none if it is paused. */
  follow(tenant: string, schedule: Schedule): Promise<void>;
  /** Removes the ticks of a schedule. */
  drop(tenant: string, id: string): Promise<void>;
  close(): Promise<void>;
}

/** Returns the functions that set the ticks of schedules; they start no runs. */
export function createTickSetter(ticks: Scheduler): Pick<RunningSchedules, 'follow' | 'drop'> {
  return {
    follow: (tenant, schedule) => follow(ticks, seriesOf(tenant, schedule.id), schedule),
    drop: (tenant, id) => ticks.clear(seriesOf(tenant, id)),
  };
}

const follow = (ticks: Scheduler, series: string, schedule: Schedule): Promise<void> =>
  schedule.paused ? ticks.clear(series) : ticks.set(series, schedule);

/** Starts the runs of schedules at their times, until it is closed. */
export function startSchedules(options: SchedulesOptions): RunningSchedules {
  const { ticks, log } = options;
  const consumer = ticks.consume((tick) => startRuns(options, tick));
  const closing = new AbortController();
  void repairRegularly();
  return {
    ...createTickSetter(ticks),
    async close() {
      closing.abort();
      await consumer.close();
    },
  };

  async function repairRegularly(): Promise<void> {
    while (!closing.signal.aborted) {
      await repair(options).catch((error: unknown) => {
        if (!closing.signal.aborted)
          log.warn({ err: error }, 'schedules could not be compared with their ticks; trying again');
      });
      await sleep(repairEveryMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Repairs ticks after a crash between writing a schedule and setting its ticks. */
  async function repair({ runtime: { store } }: Pick<SchedulesOptions, 'runtime'>): Promise<void> {
    for await (const { series, schedule } of allSchedules(store)) {
      const set = await ticks.find(series);
      const isSet = set?.cron === schedule.cron && set.timezone === schedule.timezone;
      if (schedule.paused ? set !== undefined : !isSet) await follow(ticks, series, schedule);
    }
  }
}

async function startRuns({ runtime, ticks, ...asking }: SchedulesOptions, { series, at, now }: Tick): Promise<void> {
  const { tenant, id } = scheduleOf(series);
  const tenantRuntime = createTenantRuntime(runtime, tenant);
  const schedule = await tenantRuntime.schedules.find(id).catch(async (error: unknown) => {
    if (!(error instanceof RequestError)) throw error;
    // The schedule was deleted by a process that died before it removed the ticks.
    await ticks.clear(series);
    return undefined;
  });
  if (schedule === undefined || schedule.paused) return;
  for (const due of dueTicks(schedule, at, now)) await startTick(schedule, due, { ...asking, tenant: tenantRuntime });
}
