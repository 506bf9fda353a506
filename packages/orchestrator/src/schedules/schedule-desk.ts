import type { NewSchedule, Run, Schedule, ScheduleList, ScheduleListQuery, ScheduleState } from '@millrace/api';
import { describeKnown, lastOf, omitUndefined, runOf, ScheduleChange, scheduleOf, startRequestOf } from '@millrace/api';
import type { Namespace, Schedule as Stored } from '@millrace/runtime';
import { assertCron, nextTick } from '@millrace/runtime';
import type { z } from 'zod';
import type { Api } from '../api.ts';
import { freshSeed } from '../seed.ts';
import { startScheduled } from './tick.ts';

type Shown = z.output<typeof Schedule>;

/** What can be done with the schedules of a tenant, for the API and for commands on the machine itself. All of it throws RequestError. */
export interface ScheduleDesk {
  create(wanted: NewSchedule): Promise<Shown>;
  get(id: string): Promise<z.output<typeof ScheduleState>>;
  list(query: z.output<typeof ScheduleListQuery>): Promise<z.output<typeof ScheduleList>>;
  change(id: string, change: z.output<typeof ScheduleChange>): Promise<Shown>;
  remove(id: string): Promise<Shown>;
  /** Starts what it starts now, once for a seed. */
  trigger(id: string, seed?: string): Promise<Run>;
}

/** What it is done with. */
export type ScheduleDeskOptions = Pick<Api, 'reader' | 'assertReachable' | 'schedules' | 'now'>;

/** The desk for the schedules of a tenant. */
export function scheduleDesk(
  space: Namespace,
  { reader, assertReachable, schedules, now }: ScheduleDeskOptions,
): ScheduleDesk {
  const asking = { tenant: space, reader, assertReachable };
  const check = async ({ run, ...when }: Pick<NewSchedule, 'cron' | 'timezone' | 'run'>) => {
    assertCron(when);
    await startRequestOf(run, asking);
  };
  /** What stays as it is may have become impossible, and is no reason not to pause. */
  const checkChange = async (before: Stored, change: z.output<typeof ScheduleChange>) => {
    const { cron = before.cron, timezone = before.timezone, run } = change;
    if (before.paused && change.paused === false) {
      return check({ cron, timezone, run: run ?? ScheduleChange.shape.run.unwrap().parse(before.run) });
    }
    if (change.cron !== undefined || change.timezone !== undefined) assertCron({ cron, timezone });
    if (run !== undefined) await startRequestOf(run, asking);
  };
  const shown = (schedule: Stored) => scheduleOf(schedule, schedule.paused ? null : nextTick(schedule, now()));
  return {
    async create(wanted) {
      await check(wanted);
      const { description, ...rest } = wanted;
      const schedule = await space.schedules.create({ ...rest, ...omitUndefined({ description }) });
      await schedules.follow(space.tenant, schedule);
      return shown(schedule);
    },
    get: async (id) => ({
      ...shown(await space.schedules.find(id)),
      last: lastOf(await space.schedules.last(id)),
    }),
    async list({ limit, cursor = '' }) {
      const found = await space.schedules.list(cursor, limit + 1);
      const data = found.slice(0, limit).map((schedule) => shown(schedule));
      return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
    },
    async change(id, change) {
      await checkChange(await space.schedules.find(id), change);
      const schedule = await space.schedules.change(id, omitUndefined(change));
      await schedules.follow(space.tenant, schedule);
      return shown(schedule);
    },
    async remove(id) {
      const schedule = await space.schedules.remove(id);
      await schedules.drop(space.tenant, id);
      return shown(schedule);
    },
    async trigger(id, seed = freshSeed()) {
      const run = await startScheduled(await space.schedules.find(id), `tick_${id}_${seed}`, asking);
      return runOf(await describeKnown(space, run));
    },
  };
}
