import { omitUndefined } from '@millrace/core';
import type { Schedule as Stored } from '@millrace/runtime';
import type { z } from 'zod';
import { hasScope } from '../operation/call.ts';
import { templateFlags } from '../operation/cli-line.ts';

import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { describeKnown, ofStarted, runFor } from '../runs/describe.ts';
import { startRequestOf } from '../runs/start-request.ts';
import { cutPage } from '../schemas/page.ts';
import { Run } from '../schemas/runs/run.ts';
import {
  NewSchedule,
  NewTimes,
  NextTimes,
  runForReaders,
  Schedule,
  ScheduleChange,
  ScheduleList,
  ScheduleListQuery,
  SchedulePath,
  ScheduleState,
  ScheduleTickList,
  ScheduleTickQuery,
  scheduleOf,
  tickOf,
} from './schedule.ts';
import { startScheduled } from './start-scheduled.ts';

export const listSchedules = operation({
  name: 'schedules.list',
  method: 'GET',
  path: '/v1/schedules',
  scope: 'read',
  summary: 'The schedules of the tenant',
  query: ScheduleListQuery,
  output: ScheduleList,
  async run(context, { limit, cursor = '' }) {
    const found = await context.tenant.schedules.list(cursor, limit + 1);
    const { page, nextCursor } = cutPage(found, limit, ({ id }) => id);
    return { body: { data: await Promise.all(page.map((schedule) => shown(schedule, context))), nextCursor } };
  },
});

export const getSchedule = operation({
  name: 'schedules.get',
  method: 'GET',
  path: '/v1/schedules/:id',
  scope: 'read',
  summary: 'A schedule, and the outcome of its last time',
  params: SchedulePath,
  output: ScheduleState,
  async run(context, { id }) {
    const { schedules } = context.tenant;
    const schedule = await shown(await schedules.find(id), context);
    const last = await schedules.last(id);
    return { body: { ...schedule, last: last === undefined ? null : tickOf(last) } };
  },
});

export const listTicks = operation({
  name: 'schedules.ticks',
  method: 'GET',
  path: '/v1/schedules/:id/ticks',
  scope: 'read',
  summary: 'The last 200 times of a schedule and their outcomes, newest first',
  params: SchedulePath,
  query: ScheduleTickQuery,
  output: ScheduleTickList,
  async run({ tenant: { schedules } }, { id, limit, cursor }) {
    await schedules.find(id);
    const found = await schedules.ticks(id, cursor, limit + 1);
    const { page, nextCursor } = cutPage(found, limit, ({ at }) => String(at));
    return { body: { data: page.map(tickOf), nextCursor } };
  },
});

export const previewTimes = operation({
  name: 'schedules.preview',
  method: 'POST',
  path: '/v1/schedules/preview',
  scope: 'read',
  summary: 'The next five times of a cron expression, and the expression in words',
  body: NewTimes,
  example: { cron: '0 7 * * 1-5', timezone: 'Europe/Berlin' },
  output: NextTimes,
  idempotency: 'needless',
  async run({ cron, now }, times) {
    cron.assertValid(times);
    return {
      body: { sentence: await cron.sentence(times.cron), times: [...cron.nextTimes(times, now(), shownTimes)] },
    };
  },
});

/** Number of times that a preview shows. */
const shownTimes = 5;

/** Flags of the command line for the times of a schedule, and for its runs. */
const timeFlags = '[--cron cron] [--timezone timezone] [--missed missed] [--overlap overlap]';
const runFlags = `[--input run.input:text] [--attach run.attachments] ${templateFlags('run.')}`;

export const createSchedule = operation({
  name: 'schedules.create',
  method: 'POST',
  path: '/v1/schedules',
  cli: `schedule create <id> <run.workflow:workflow.yaml> ${timeFlags} [--description description:filled] ${runFlags}`,
  scope: 'run',
  summary: 'Create a schedule',
  body: NewSchedule,
  example: { id: 'morning-report', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin', run: { workflow: 'report' } },
  output: Schedule,
  status: 201,
  needs: 'redis',
  async run(context, wanted) {
    const { tenant } = context;
    const { background } = context;
    await check(wanted, context);
    const { description, ...rest } = wanted;
    const schedule = await tenant.schedules.create({ ...rest, ...omitUndefined({ description }) });
    await assertFilesKept(wanted.run, context, () => tenant.schedules.remove(schedule.id));
    await background.schedules.follow(tenant.tenant, schedule);
    return { body: await shown(schedule, context), headers: { location: `/v1/schedules/${schedule.id}` } };
  },
});

export const changeSchedule = operation({
  name: 'schedules.change',
  method: 'PATCH',
  path: '/v1/schedules/:id',
  cli: [
    'schedule <paused?pause|resume> <id>',
    `schedule change <id> ${timeFlags} [--description description] [--run run.workflow:workflow.yaml] ${runFlags}`,
  ],
  scope: 'run',
  summary: 'Change, pause or resume a schedule',
  params: SchedulePath,
  body: ScheduleChange,
  example: { paused: true },
  output: Schedule,
  needs: 'redis',
  async run(context, { id, ...change }) {
    const { tenant } = context;
    const { background } = context;
    const before = await tenant.schedules.find(id);
    await checkChange(before, change, context);
    const schedule = await tenant.schedules.change(id, omitUndefined(change));
    if (change.run !== undefined)
      await assertFilesKept(change.run, context, () => tenant.schedules.change(id, { run: before.run }));
    await background.schedules.follow(tenant.tenant, schedule);
    return { body: await shown(schedule, context) };
  },
});

export const deleteSchedule = operation({
  name: 'schedules.delete',
  method: 'DELETE',
  path: '/v1/schedules/:id',
  cli: 'schedule rm <id>',
  scope: 'run',
  summary: 'Delete a schedule; its runs continue',
  params: SchedulePath,
  output: Schedule,
  needs: 'redis',
  async run(context, { id }) {
    const { tenant } = context;
    const { background } = context;
    const schedule = await tenant.schedules.remove(id);
    await background.schedules.drop(tenant.tenant, id);
    return { body: await shown(schedule, context) };
  },
});

export const triggerSchedule = operation({
  name: 'schedules.trigger',
  method: 'POST',
  path: '/v1/schedules/:id/trigger',
  cli: 'schedule trigger <id>',
  scope: 'run',
  summary: 'Start the run of a schedule now',
  params: SchedulePath,
  output: Run,
  status: 201,
  async run(context, { id }) {
    const { tenant, newSeed, seed = newSeed() } = context;
    const run = await startScheduled(await tenant.schedules.find(id), `tick_${id}_${seed}`, context);
    const started = await ofStarted(run, describeKnown(tenant, run));
    return { body: runFor(context, started), headers: { location: `/v1/runs/${run}` } };
  },
});

async function shown(schedule: Stored, context: Context): Promise<z.output<typeof Schedule>> {
  const { cron, now } = context;
  const whole = scheduleOf(schedule, {
    sentence: await cron.sentence(schedule.cron),
    nextAt: schedule.paused ? null : cron.next(schedule, now()),
  });
  // Those who may change it need all of it.
  return hasScope(context, 'run') ? whole : { ...whole, run: runForReaders(whole.run) };
}

type Template = Pick<NewSchedule, 'cron' | 'timezone' | 'run'>;

/** Throws RequestError for a schedule without times, and for an invalid run. */
async function check({ run, ...times }: Template, context: Context): Promise<void> {
  context.cron.assertValid(times);
  await startRequestOf(run, context);
}

/** Checks the changed fields. Other fields may have become invalid since, which must not prevent a pause. */
async function checkChange(before: Stored, change: z.output<typeof ScheduleChange>, context: Context): Promise<void> {
  const { cron = before.cron, timezone = before.timezone, run } = change;
  if (before.paused && change.paused === false) {
    return check({ cron, timezone, run: run ?? ScheduleChange.shape.run.unwrap().parse(before.run) }, context);
  }
  if (change.cron !== undefined || change.timezone !== undefined) context.cron.assertValid({ cron, timezone });
  if (run !== undefined) await startRequestOf(run, context);
}

/**
 * Throws RequestError, after the change was undone, for a file that was removed while a schedule that names it was stored. Whoever
 * removes a file looks for such schedules after that, too: one of both sees the other.
 */
async function assertFilesKept(
  { attachments }: Template['run'],
  { tenant: { files } }: Context,
  undo: () => Promise<unknown>,
): Promise<void> {
  try {
    for (const id of attachments) await files.find(id);
  } catch (error) {
    await undo();
    throw error;
  }
}
