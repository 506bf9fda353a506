import type { Millrace, Schedule, ScheduleState } from '@millrace/client';
import { reportMissingServers, withSession } from '../client/session.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { columns } from '../output/tables/columns.ts';
import type { Cli } from '../process/cli.ts';
import { attachFiles } from '../requests/attachments.ts';
import { all } from '../requests/first.ts';
import type { RunTemplateFlags } from '../requests/run-template.ts';
import { runTemplateOf } from '../requests/run-template.ts';
import { readTextArgument } from '../workflow/text-argument.ts';

/** Times at which a schedule starts runs. */
export interface ScheduleTimes {
  readonly cron?: string;
  readonly timezone?: string;
  readonly missed?: 'skip' | 'once' | 'all';
  readonly overlap?: 'allow' | 'skip';
  readonly description?: string;
}

/** A schedule that is made. */
export interface NewSchedule extends RunTemplateFlags, ScheduleTimes {
  readonly id: string;
  readonly named: string;
  readonly cron: string;
  readonly input?: string;
  readonly attach?: readonly string[];
  readonly paused?: boolean;
  readonly json?: boolean;
}

/** Creates a schedule. */
export async function createSchedule(cli: Cli, wanted: NewSchedule): Promise<void> {
  const { id, named, input, attach, json, cron, timezone, missed, overlap, description, paused, ...flags } = wanted;
  const template = { ...(await runTemplateOf(cli, named, flags)), ...(await textOf(input)) };
  const times = present({ timezone, missed, overlap, description, paused });
  await withSession(cli, {}, async (session) => {
    const { schedules } = session.millrace;
    const run = { ...template, ...(await filesOf(session.millrace, attach)) };
    show(cli, await schedules.create({ id, cron, run, ...times }), json === true);
    await reportMissingServers(session);
  });
}

const textOf = async (input: string | undefined) =>
  input === undefined ? {} : { input: await readTextArgument(input) };

const filesOf = async (millrace: Millrace, attach: readonly string[] | undefined) =>
  attach === undefined ? {} : { attachments: [...(await attachFiles(millrace, attach))] };

/** Prints the schedules that there are. */
export async function listSchedules(cli: Cli, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { schedules } }) => {
    const found = await all(schedules.list());
    if (json) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) {
      cli.terminal.say('There are no schedules yet: millrace schedule create ID WORKFLOW --cron CRON');
    } else cli.terminal.data(table(found));
  });
}

/** Prints a schedule, and what became of its last time. */
export async function showSchedule(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { schedules } }) => {
    const schedule = await schedules.get(id);
    if (json) cli.terminal.data(JSON.stringify(schedule, null, 2));
    else cli.terminal.data(`${table([schedule])}\n${lastOf(schedule)}`);
  });
}

/** Options about the runs that a schedule starts from then on. */
export interface ChangedRunFlags extends RunTemplateFlags {
  /** The workflow: a file, or a published one. */
  readonly run?: string;
  readonly input?: string;
  readonly attach?: readonly string[];
}

interface ScheduleChange extends ScheduleTimes, ChangedRunFlags {
  readonly id: string;
  readonly paused?: boolean;
  readonly json?: boolean;
}

/** Changes a schedule. Throws CommandError for options of runs without their workflow. */
export async function changeSchedule(cli: Cli, change: ScheduleChange): Promise<void> {
  const {
    id,
    json,
    cron,
    timezone,
    missed,
    overlap,
    description,
    paused,
    run: named,
    input,
    attach,
    ...flags
  } = change;
  if (named === undefined && (input !== undefined || attach !== undefined || Object.keys(flags).length > 0))
    throw new CommandError(
      exitCodes.invalid,
      'The runs of a schedule are changed as a whole: name their workflow with --run, and give all of their options.',
    );
  const template =
    named === undefined ? undefined : { ...(await runTemplateOf(cli, named, flags)), ...(await textOf(input)) };
  await withSession(cli, {}, async ({ millrace }) => {
    const { schedules } = millrace;
    const run = template && { ...template, ...(await filesOf(millrace, attach)) };
    const changed = present({ cron, timezone, missed, overlap, description, paused, run });
    show(cli, await schedules.change(id, changed), json === true);
  });
}

/** Starts what a schedule starts, now, and prints the id of the run. */
export async function triggerSchedule(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { schedules } }) => {
    const { runId, status } = await schedules.trigger(id);
    cli.terminal.data(json ? JSON.stringify({ runId, status }) : runId);
  });
}

/** Deletes a schedule. */
export async function removeSchedule(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace: { schedules } }) => {
    const schedule = await schedules.remove(id);
    if (json) cli.terminal.data(JSON.stringify(schedule, null, 2));
    else cli.terminal.say(`The schedule ${id} is deleted; its runs continue.`);
  });
}

const show = ({ terminal }: Cli, schedule: Schedule, json: boolean): void =>
  terminal.data(json ? JSON.stringify(schedule, null, 2) : table([schedule]));

const table = (schedules: readonly Schedule[]): string =>
  columns(
    ['SCHEDULE', 'CRON', 'TIMEZONE', 'WORKFLOW', 'NEXT', 'DESCRIPTION'],
    schedules.map(({ id, cron, timezone, run, nextAt, description = '' }) => [
      id,
      cron,
      timezone,
      typeof run['workflow'] === 'string' ? run['workflow'] : '',
      nextAt === null ? 'paused' : new Date(nextAt).toISOString(),
      description,
    ]),
  );

function lastOf({ last }: ScheduleState): string {
  if (last === null) return 'It has not started a run yet.';
  const { at, outcome, runId = '', error } = last;
  const why = error === undefined ? '' : `: ${error.message} [${error.code}]`;
  return `Last: ${new Date(at).toISOString()} ${outcome} ${runId}${why}`.trimEnd();
}

/** Returns the fields that are set. */
function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> }; // the fields of T that are defined
}
