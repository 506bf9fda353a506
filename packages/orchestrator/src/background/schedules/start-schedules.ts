import { setTimeout as pause } from 'node:timers/promises';
import type { StartContext } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { Runtime, Schedule, Scheduler, Tick } from '@millrace/runtime';
import { allSchedules, createTenantRuntime, scheduleOf, seriesOf } from '@millrace/runtime';
import type { Logger } from 'pino';
import { dueTicks } from './due.ts';
import { startTick } from './tick.ts';

/** How often schedules are compared with their ticks, in milliseconds. */
const mendEveryMs = 60_000;

/** What schedules are kept with. */
export interface SchedulesOptions extends Omit<StartContext, 'tenant'> {
  readonly runtime: Pick<Runtime, 'runs' | 'store'>;
  readonly ticks: Scheduler;
  /** Resolves when the schedules of earlier versions are among those of this one. */
  readonly begun: Promise<void>;
  readonly log: Logger;
}

/** Schedules at work in this process. */
export interface RunningSchedules {
  /** Has the ticks of a schedule come as it says now; none when it is paused. */
  follow(tenant: string, schedule: Schedule): Promise<void>;
  /** Has them come no more. */
  drop(tenant: string, id: string): Promise<void>;
  close(): Promise<void>;
}

/** Sets when the ticks of schedules come, and starts nothing then. */
export function createTickSetter(ticks: Scheduler): Pick<RunningSchedules, 'follow' | 'drop'> {
  return {
    follow: (tenant, schedule) => follow(ticks, seriesOf(tenant, schedule.id), schedule),
    drop: (tenant, id) => ticks.clear(seriesOf(tenant, id)),
  };
}

const follow = (ticks: Scheduler, series: string, schedule: Schedule): Promise<void> =>
  schedule.paused ? ticks.clear(series) : ticks.set(series, schedule);

/** Starts runs when it is their time, until it is closed. */
export function startSchedules(options: SchedulesOptions): RunningSchedules {
  const { ticks, log } = options;
  const consumer = ticks.consume((tick) => perform(options, tick));
  const closing = new AbortController();
  void mendAgain();
  return {
    ...createTickSetter(ticks),
    async close() {
      closing.abort();
      await consumer.close();
    },
  };

  async function mendAgain(): Promise<void> {
    await options.begun;
    while (!closing.signal.aborted) {
      await mend(options).catch((error: unknown) => {
        if (!closing.signal.aborted) log.warn({ err: error }, 'schedules could not be looked through; trying again');
      });
      await pause(mendEveryMs, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Makes good what a crash between writing a schedule and setting its ticks, or a process of an older version, has left. */
  async function mend({ runtime: { store } }: Pick<SchedulesOptions, 'runtime'>): Promise<void> {
    for await (const { series, schedule } of allSchedules(store)) {
      const set = await ticks.find(series);
      const isSet = set?.cron === schedule.cron && set.timezone === schedule.timezone;
      if (schedule.paused ? set !== undefined : !isSet) await follow(ticks, series, schedule);
    }
    await ticks.retire();
  }
}

async function perform(
  { runtime, ticks, begun: _begun, ...asking }: SchedulesOptions,
  { series, at, now }: Tick,
): Promise<void> {
  const { tenant, id } = scheduleOf(series);
  const tenantRuntime = createTenantRuntime(runtime, tenant);
  const schedule = await tenantRuntime.schedules.find(id).catch(async (error: unknown) => {
    if (!(error instanceof RequestError)) throw error;
    // It was deleted, and whoever did that died before this was told.
    await ticks.clear(series);
    return undefined;
  });
  if (schedule === undefined || schedule.paused) return;
  for (const due of dueTicks(schedule, at, now)) await startTick(schedule, due, { ...asking, tenant: tenantRuntime });
}
