import type { Millrace, Schedule, ScheduleState } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { Option } from 'commander';
import { reportMissingServers, withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { parseCount } from '../../options/arguments.ts';
import { addAttachOption } from '../../options/run-options.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { attachFiles } from '../../requests/attachments.ts';
import { all, first } from '../../requests/pages.ts';
import type { RunTemplateFlags } from '../../requests/run-template.ts';
import { addRunTemplateOptions, runTemplateOf } from '../../requests/run-template.ts';
import { readTextArgument } from '../../workflow/text-argument.ts';

/** Times at which a schedule starts runs. */
interface TimesFlags {
  readonly cron?: string;
  readonly timezone?: string;
  readonly missed?: 'skip' | 'once' | 'all';
  readonly overlap?: 'allow' | 'skip';
  readonly description?: string;
}

/** Runs that a schedule starts. */
interface RunFlags extends RunTemplateFlags {
  readonly input?: string;
  readonly attach?: readonly string[];
}

interface CreateFlags extends TimesFlags, RunFlags {
  readonly cron: string;
  readonly paused?: boolean;
  readonly json?: boolean;
}

interface ChangeFlags extends TimesFlags, RunFlags {
  /** The workflow: a file, or a published one. */
  readonly run?: string;
  readonly json?: boolean;
}

/** `millrace schedule`: manages schedules, which start runs at certain times. */
export function addSchedule(program: Command, cli: Cli): void {
  const schedule = program
    .command('schedule')
    .description('start runs at recurring times')
    .addHelpText('after', '\nExample:\n  millrace schedule create nightly poem --cron "0 3 * * *"');
  addTimes(addAttachOption(addRunTemplateOptions(schedule.command('create')), 'task'))
    .description('start runs of a workflow at recurring times')
    .addHelpText(
      'after',
      '\nExample:\n  millrace schedule create nightly poem --cron "0 3 * * *" --timezone Europe/Berlin',
    )
    .argument('<id>', 'id of the schedule: letters, digits, _ and -')
    .argument('<file|name>', 'the workflow: a file, or a published one as NAME or NAME@HASH')
    .requiredOption(
      '--cron <times>',
      'minute, hour, day, month, day of the week; with six fields the first one is seconds; or @hourly, @daily and so on',
    )
    .option('--input <text>', 'the task: a text, @FILE, or - for standard input')
    .option('--paused', 'start nothing until it is resumed')
    .option('--json', 'print {id, cron, nextAt, …}')
    .action((id: string, named: string, flags: CreateFlags) => create(cli, id, named, flags));
  addLists(schedule, cli);
  addChanges(schedule, cli);
}

const addTimes = (command: Command): Command =>
  command
    .option('--timezone <name>', 'time zone of the times, such as Europe/Berlin (default: UTC)')
    .addOption(
      new Option('--missed <what>', 'runs for times at which no server was running (default: once)').choices([
        'skip',
        'once',
        'all',
      ]),
    )
    .addOption(
      new Option('--overlap <what>', 'start a run although the last one has not ended (default: allow)').choices([
        'allow',
        'skip',
      ]),
    )
    .option('--description <text>', 'description for people');

async function create(cli: Cli, id: string, named: string, flags: CreateFlags): Promise<void> {
  const { json, cron, timezone, missed, overlap, description, paused, ...runFlags } = flags;
  const runOf = await readRun(cli, named, runFlags);
  await withSession(cli, {}, async (session) => {
    const times = omitUndefined({ cron, timezone, missed, overlap, description, paused });
    await print(
      cli,
      await session.millrace.schedules.create({ id, run: await runOf(session.millrace), ...times }),
      json,
    );
    await reportMissingServers(session);
  });
}

/** Reads the runs of a schedule before a session is opened; the returned function uploads their files. */
async function readRun(cli: Cli, named: string, { input, attach, ...flags }: RunFlags) {
  const template = {
    ...(await runTemplateOf(cli, named, flags)),
    ...(input === undefined ? {} : { input: await readTextArgument(input) }),
  };
  return async (millrace: Millrace) =>
    attach === undefined ? template : { ...template, attachments: [...(await attachFiles(millrace, attach))] };
}

function addLists(schedule: Command, cli: Cli): void {
  schedule
    .command('list')
    .description('list schedules')
    .addHelpText('after', '\nExample:\n  millrace schedule list')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => printAll(cli, await all(millrace.schedules.list()), json)),
    );
  schedule
    .command('get')
    .description('print a schedule and the outcome of its last time')
    .addHelpText('after', '\nExample:\n  millrace schedule get nightly')
    .argument('<id>', 'the schedule')
    .option('--json', 'print {id, cron, nextAt, last, …}')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const found = await millrace.schedules.get(id);
        await print(cli, found, json);
        if (!json) cli.terminal.data(lastOf(found));
      }),
    );
  schedule
    .command('ticks')
    .description('list the last times of a schedule and their outcomes, newest first')
    .addHelpText('after', '\nExample:\n  millrace schedule ticks nightly')
    .argument('<id>', 'the schedule')
    .option('--limit <n>', 'maximum number of entries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action((id: string, { limit, json }: { limit: number; json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) =>
        printList(cli.terminal, await first(limit, millrace.schedules.ticks(id)), {
          json,
          empty: 'None of its times has come yet. Runs that a person has started: `millrace runs --tag schedule:ID`.',
          head: ['TIME', 'OUTCOME', 'RUN', 'ERROR'],
          row: ({ at, outcome, runId = '', error }) => [
            new Date(at).toISOString(),
            outcome,
            runId,
            error === undefined ? '' : `${error.message} [${error.code}]`,
          ],
        }),
      ),
    );
  schedule
    .command('preview')
    .description('print the next five times of a cron expression, without creating a schedule')
    .addHelpText('after', '\nExample:\n  millrace schedule preview "0 7 * * 1-5" --timezone Europe/Berlin')
    .argument('<cron>', 'the expression, as in `schedule create --cron`')
    .option('--timezone <name>', 'time zone of the times, such as Europe/Berlin', 'UTC')
    .option('--json', 'print {sentence, times}')
    .action((cron: string, { timezone, json }: { timezone: string; json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const preview = await millrace.schedules.preview({ cron, timezone });
        if (json) return cli.terminal.data(JSON.stringify(preview, null, 2));
        cli.terminal.say(`${preview.sentence} (${timezone}). The next times, in UTC:`);
        cli.terminal.data(preview.times.map((at) => new Date(at).toISOString()).join('\n'));
      }),
    );
}

function lastOf({ last }: ScheduleState): string {
  if (last === null) return 'None of its times has come yet.';
  const { at, outcome, runId = '', error } = last;
  const why = error === undefined ? '' : `: ${error.message} [${error.code}]`;
  return `Last: ${new Date(at).toISOString()} ${outcome} ${runId}${why}`.trimEnd();
}

const switches = [
  {
    name: 'pause',
    paused: true,
    description: 'start no runs until the schedule is resumed; times in between are skipped',
  },
  { name: 'resume', paused: false, description: 'continue a paused schedule' },
] as const;

function addChanges(schedule: Command, cli: Cli): void {
  addTimes(addAttachOption(addRunTemplateOptions(schedule.command('change')), 'task'))
    .description('change the times at which a schedule starts runs, or what it starts')
    .addHelpText('after', '\nExample:\n  millrace schedule change nightly --cron "0 4 * * *"')
    .argument('<id>', 'the schedule')
    .option('--cron <times>', 'new times')
    .option('--run <file|name>', 'start runs of this workflow, with the options of runs that are given')
    .option('--input <text>', 'the task of these runs: a text, @FILE, or - for standard input')
    .option('--json', 'print {id, cron, nextAt, …}')
    .action((id: string, flags: ChangeFlags) => change(cli, id, flags));
  for (const { name, paused, description } of switches) {
    schedule
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace schedule ${name} nightly`)
      .argument('<id>', 'the schedule')
      .option('--json', 'print {id, cron, nextAt, …}')
      .action((id: string, { json }: { json?: boolean }) =>
        withSession(cli, {}, async ({ millrace }) => print(cli, await millrace.schedules.change(id, { paused }), json)),
      );
  }
  schedule
    .command('trigger')
    .description('start a run of a schedule now and print its id')
    .addHelpText('after', '\nExample:\n  millrace schedule trigger nightly')
    .argument('<id>', 'the schedule')
    .option('--json', 'print {runId, status}')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const { runId, status } = await millrace.schedules.trigger(id);
        cli.terminal.data(json ? JSON.stringify({ runId, status }) : runId);
      }),
    );
  schedule
    .command('rm')
    .description('remove a schedule; its runs continue')
    .addHelpText('after', '\nExample:\n  millrace schedule rm nightly')
    .argument('<id>', 'the schedule')
    .option('--json', 'print {id, cron, …}')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const removed = await millrace.schedules.remove(id);
        if (json) cli.terminal.data(JSON.stringify(removed, null, 2));
        else cli.terminal.say(`The schedule ${id} is deleted; its runs continue.`);
      }),
    );
}

async function change(cli: Cli, id: string, flags: ChangeFlags): Promise<void> {
  const { json, cron, timezone, missed, overlap, description, run: named, ...runFlags } = flags;
  if (named === undefined && Object.keys(runFlags).length > 0)
    throw new CommandError(
      exitCodes.invalid,
      'The runs of a schedule are changed as a whole: name their workflow with --run, and give all of their options.',
    );
  const runOf = named === undefined ? undefined : await readRun(cli, named, runFlags);
  await withSession(cli, {}, async ({ millrace }) => {
    const times = omitUndefined({ cron, timezone, missed, overlap, description });
    const run = await runOf?.(millrace);
    await print(cli, await millrace.schedules.change(id, { ...times, ...(run && { run }) }), json);
  });
}

async function print(cli: Cli, schedule: Schedule, json: boolean | undefined): Promise<void> {
  if (json) cli.terminal.data(JSON.stringify(schedule, null, 2));
  else await printAll(cli, [schedule], json);
}

const printAll = ({ terminal }: Cli, schedules: readonly Schedule[], json: boolean | undefined): Promise<void> =>
  printList(terminal, schedules, {
    json,
    empty: 'There are no schedules yet: millrace schedule create ID WORKFLOW --cron CRON',
    head: ['SCHEDULE', 'CRON', 'TIMEZONE', 'WORKFLOW', 'NEXT', 'DESCRIPTION'],
    row: ({ id, cron, timezone, run, nextAt, description = '' }) => [
      id,
      cron,
      timezone,
      typeof run['workflow'] === 'string' ? run['workflow'] : '',
      nextAt === null ? 'paused' : new Date(nextAt).toISOString(),
      description,
    ],
  });
