import { omitUndefined, publicAddress } from '@millrace/core';
import type { PastTick, Schedule as Stored } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit, pageOf } from '../schemas/page.ts';
import { StartRun } from '../schemas/runs/run.ts';

const ScheduleId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,50}$/, 'may hold letters, digits, _ and -, up to 50 of them')
  .describe('Letters, digits, _ and -.');

const Cron = z
  .string()
  .min(1)
  .max(200)
  .describe(
    'Cron expression: minute, hour, day, month, day of the week; six fields begin with seconds; or a name such as @daily.',
  );
const Timezone = z.string().min(1).max(100).describe('Time zone of the expression, as in Europe/Berlin.');
const Missed = z
  .enum(['skip', 'once', 'all'])
  .describe(
    'Handling of times that passed, by more than a minute, while no server ran: no run, one run for all, or a run each (at most 100).',
  );
const Overlap = z
  .enum(['allow', 'skip'])
  .describe('Handling of a time at which the previous run is still in progress.');
const Description = z.string().max(200).describe('Description for people.');

/** Schema of the runs of a schedule: that of a run, without an id. */
const Scheduled = StartRun.omit({ runId: true, ttlSeconds: true })
  .extend({ tags: StartRun.shape.tags.unwrap().max(19).default([]) })
  .meta({ id: 'ScheduledRun' });

/** Schema of a new schedule. */
export const NewSchedule = z
  .strictObject({
    id: ScheduleId,
    cron: Cron,
    timezone: Timezone.default('UTC'),
    run: Scheduled.describe('Request that starts a run, as in POST /v1/runs.'),
    missed: Missed.default('once'),
    overlap: Overlap.default('allow'),
    paused: z.boolean().default(false),
    description: Description.optional(),
  })
  .meta({ id: 'NewSchedule' });
export type NewSchedule = z.infer<typeof NewSchedule>;

/** Schema of a change of a schedule. */
export const ScheduleChange = z
  .strictObject({
    cron: Cron.optional(),
    timezone: Timezone.optional(),
    run: Scheduled.optional(),
    missed: Missed.optional(),
    overlap: Overlap.optional(),
    paused: z.boolean().optional().describe('Times that pass while it is paused are not caught up.'),
    description: Description.optional(),
  })
  .meta({ id: 'ScheduleChange' });
/** Outcome of one time of a schedule. */
export const ScheduleTick = z
  .object({
    at: z.number().describe('Milliseconds since 1970.'),
    outcome: z.enum(['started', 'skipped', 'failed']),
    runId: z.string().optional().describe('The started run, or the run that prevented the start.'),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: 'ScheduleTick' });
/** ScheduleTick as responses have it. */
export type ScheduleTick = z.output<typeof ScheduleTick>;

const Sentence = z
  .string()
  .describe('The times in words, as in `At 07:00, Monday through Friday`; the expression where there are none.');

/** A schedule. */
export const Schedule = z
  .object({
    id: ScheduleId,
    cron: z.string(),
    timezone: z.string(),
    sentence: Sentence,
    run: z
      .looseObject({})
      .describe('Request that starts a run. For a key without the scope `run`, the address of its webhook is cut.'),
    missed: Missed,
    overlap: Overlap,
    paused: z.boolean(),
    description: z.string().optional(),
    createdAt: z.number().describe('Milliseconds since 1970.'),
    nextAt: z.number().nullable().describe('Milliseconds since 1970; null while it is paused.'),
  })
  .meta({ id: 'Schedule' });
/** Schedule as responses have it. */
export type Schedule = z.output<typeof Schedule>;

/** A schedule, and the outcome of its last time. */
export const ScheduleState = Schedule.extend({ last: ScheduleTick.nullable() }).meta({ id: 'ScheduleState' });
/** ScheduleState as responses have it. */
export type ScheduleState = z.output<typeof ScheduleState>;

/** One schedule in a path. */
export const SchedulePath = z.object({ id: ScheduleId });

/** Query for a page of schedules. */
export const ScheduleListQuery = z.object({ limit: PageLimit, cursor: ScheduleId.optional() });

/** Query for a page of the history of a schedule. */
export const ScheduleTickQuery = z.object({
  limit: PageLimit,
  cursor: z.coerce.number<number | string>().int().min(0).optional(),
});

/** A page of the history of a schedule, newest first. */
export const ScheduleTickList = pageOf(ScheduleTick);

/** Schema of the times to preview. */
export const NewTimes = z.strictObject({ cron: Cron, timezone: Timezone.default('UTC') }).meta({ id: 'NewTimes' });

/** The next times of a cron expression. */
export const NextTimes = z
  .object({
    sentence: Sentence,
    times: z.array(z.number()).describe('The next five, in milliseconds since 1970.'),
  })
  .meta({ id: 'NextTimes' });
/** NextTimes as responses have it. */
export type NextTimes = z.output<typeof NextTimes>;

/** A page of schedules, in the order of their ids. */
export const ScheduleList = pageOf(Schedule);

/** Returns a schedule as the API shows it; `nextAt` in milliseconds since 1970. */
export const scheduleOf = (
  { run, ...schedule }: Stored,
  { nextAt, sentence }: Pick<Schedule, 'nextAt' | 'sentence'>,
): Schedule => ({
  ...schedule,
  sentence,
  run: { ...(run as object) }, // as NewSchedule had it
  nextAt,
});

/** Returns the request of a schedule without the part of the address of its webhook that can be a secret. */
export function runForReaders(run: Schedule['run']): Schedule['run'] {
  const { webhook } = run as Partial<Pick<StartRun, 'webhook'>>; // as NewSchedule had it
  return webhook === undefined ? run : { ...run, webhook: { ...webhook, url: publicAddress(webhook.url) } };
}

/** Returns the outcome of a time as the API shows it. */
export const tickOf = ({ run, ...tick }: PastTick): ScheduleTick => ({ ...tick, ...omitUndefined({ runId: run }) });
