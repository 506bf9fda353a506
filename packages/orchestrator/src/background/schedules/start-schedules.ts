import { setTimeout as sleep } from 'node:timers/promises';
import type { StartContext } from '@millrace/api';
import { startScheduled } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { PastTick, Runtime, Schedule, Scheduler, TenantRuntime, Tick } from '@millrace/runtime';
import { allSchedules, createTenantRuntime, scheduleOf, seriesOf, ticksBetween } from '@millrace/runtime';
import type { Logger } from 'pino';
import { isTransient } from '../../context/transient.ts';

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

async function startRuns(
  { runtime, ticks, ...asking }: SchedulesOptions,
  { series, at, now, isLast }: Tick,
): Promise<void> {
  const { tenant, id } = scheduleOf(series);
  const tenantRuntime = createTenantRuntime(runtime, tenant);
  const schedule = await tenantRuntime.schedules.find(id).catch(async (error: unknown) => {
    if (!(error instanceof RequestError)) throw error;
    // The schedule was deleted by a process that died before it removed the ticks.
    await ticks.clear(series);
    return undefined;
  });
  if (schedule === undefined || schedule.paused) return;
  const starting = { ...asking, tenant: tenantRuntime };
  for (const due of dueTicks(schedule, at, now)) await startTick(schedule, { at: due, isLast }, starting);
}

/** Delay of a run up to which its time does not count as missed, in milliseconds. */
const lateMs = 60_000;
/** Maximum number of missed times that are caught up. */
const maxMissedTicks = 100;

/**
 * Returns the times at which runs start when a schedule receives the tick of the time `at`: that time, and later ones
 * that have passed meanwhile. Some of these may also arrive as ticks of their own.
 */
export function dueTicks(schedule: Schedule, at: number, clock: number): readonly number[] {
  // Clocks differ a little; the tick proves that its time has come.
  const now = Math.max(at, clock);
  const late = now - lateMs;
  const inTime = ticksBetween(schedule, { from: Math.max(at, late), to: now, limit: lateMs / 1000 });
  if (at >= late || schedule.missed === 'skip' || (schedule.missed === 'once' && inTime.length > 0)) return inTime;
  const limit = schedule.missed === 'once' ? 1 : maxMissedTicks;
  return [...ticksBetween(schedule, { from: at, to: late - 1, limit }), ...inTime];
}

/** One time of a schedule, which is not tried again if `isLast`. */
type DueTime = Pick<Tick, 'at' | 'isLast'>;

/**
 * Starts the run of one time of a schedule, and records the outcome. The run's id derives from both, so repeating it
 * changes nothing, and records a run that was started before, by a process that died or was refused meanwhile. Errors of
 * the schedule are recorded; temporary errors are thrown as long as the time is tried again.
 */
async function startTick(schedule: Schedule, due: DueTime, asking: StartContext): Promise<void> {
  const { schedules } = asking.tenant;
  const [recorded] = await schedules.ticks(schedule.id, due.at + 1, 1);
  if (recorded?.at === due.at) return;
  await schedules.note(schedule.id, await outcomeOf(schedule, due, asking));
}

async function outcomeOf(schedule: Schedule, { at, isLast }: DueTime, asking: StartContext): Promise<PastTick> {
  const run = runOfTick(schedule.id, at);
  if (await asking.tenant.run(run).exists()) return { at, run, outcome: 'started' };
  const blocking = schedule.overlap === 'skip' ? await stillRunning(asking.tenant, schedule.id) : undefined;
  return blocking === undefined
    ? begin(schedule, { run, at, isLast }, asking)
    : { at, run: blocking, outcome: 'skipped' };
}

/** Returns the id of the run, such as `tick_nightly_20260101T020000Z`. */
const runOfTick = (schedule: string, at: number): string =>
  `tick_${schedule}_${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;

async function begin(
  schedule: Schedule,
  { run, at, isLast }: DueTime & { readonly run: string },
  asking: StartContext,
): Promise<PastTick> {
  try {
    return { at, run: await startScheduled(schedule, run, asking), outcome: 'started' };
  } catch (error) {
    if (!(error instanceof RequestError) || (isTransient(error) && !isLast)) throw error;
    return { at, outcome: 'failed', error: { code: error.code, message: error.message } };
  }
}

async function stillRunning(tenantRuntime: TenantRuntime, schedule: string): Promise<string | undefined> {
  const last = await tenantRuntime.schedules.last(schedule);
  const description = last?.run === undefined ? undefined : await tenantRuntime.run(last.run).describe();
  return description !== undefined && description.finishedAt === undefined ? last?.run : undefined;
}
