import type { Command } from 'commander';
import { Option } from 'commander';
import { addAttachOption } from '../../options/attach-option.ts';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';
import { addRunTemplateOptions } from '../../requests/run-template.ts';
import type { ChangedRunFlags, NewSchedule, ScheduleTimes } from '../../resources/schedules.ts';

type CreateFlags = Omit<NewSchedule, 'id' | 'named'>;

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
    .action(async (id: string, named: string, flags: CreateFlags) => {
      const { createSchedule } = await import('../../resources/schedules.ts');
      await createSchedule(cli, { ...flags, id, named });
    });
  addLooks(schedule, cli);
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

function addLooks(schedule: Command, cli: Cli): void {
  schedule
    .command('list')
    .description('list schedules')
    .addHelpText('after', '\nExample:\n  millrace schedule list')
    .option('--json', 'print a JSON array')
    .action(async ({ json }: { json?: boolean }) => {
      const { listSchedules } = await import('../../resources/schedules.ts');
      await listSchedules(cli, json === true);
    });
  schedule
    .command('get')
    .description('print a schedule and the outcome of its last time')
    .addHelpText('after', '\nExample:\n  millrace schedule get nightly')
    .argument('<id>', 'the schedule')
    .option('--json', 'print {id, cron, nextAt, last, …}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { showSchedule } = await import('../../resources/schedules.ts');
      await showSchedule(cli, id, json === true);
    });
  schedule
    .command('ticks')
    .description('list the last times of a schedule and their outcomes, newest first')
    .addHelpText('after', '\nExample:\n  millrace schedule ticks nightly')
    .argument('<id>', 'the schedule')
    .option('--limit <n>', 'maximum number of entries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action(async (id: string, flags: { limit: number; json?: boolean }) => {
      const { listTicks } = await import('../../resources/schedule-times.ts');
      await listTicks(cli, { id, ...flags });
    });
  schedule
    .command('preview')
    .description('print the next five times of a cron expression, without creating a schedule')
    .addHelpText('after', '\nExample:\n  millrace schedule preview "0 7 * * 1-5" --timezone Europe/Berlin')
    .argument('<cron>', 'the expression, as in `schedule create --cron`')
    .option('--timezone <name>', 'time zone of the times, such as Europe/Berlin', 'UTC')
    .option('--json', 'print {sentence, times}')
    .action(async (cron: string, flags: { timezone: string; json?: boolean }) => {
      const { previewTimes } = await import('../../resources/schedule-times.ts');
      await previewTimes(cli, { cron, ...flags });
    });
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
    .action(async (id: string, change: ScheduleTimes & ChangedRunFlags & { json?: boolean }) => {
      const { changeSchedule } = await import('../../resources/schedules.ts');
      await changeSchedule(cli, { id, ...change });
    });
  for (const { name, paused, description } of switches) {
    schedule
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace schedule ${name} nightly`)
      .argument('<id>', 'the schedule')
      .option('--json', 'print {id, cron, nextAt, …}')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { changeSchedule } = await import('../../resources/schedules.ts');
        await changeSchedule(cli, { id, paused, json: json === true });
      });
  }
  const others = [
    { name: 'trigger', description: 'start a run of a schedule now and print its id' },
    { name: 'rm', description: 'remove a schedule; its runs continue' },
  ] as const;
  for (const { name, description } of others) {
    schedule
      .command(name)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace schedule ${name} nightly`)
      .argument('<id>', 'the schedule')
      .option('--json', name === 'rm' ? 'print {id, cron, …}' : 'print {runId, status}')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { removeSchedule, triggerSchedule } = await import('../../resources/schedules.ts');
        await (name === 'rm' ? removeSchedule : triggerSchedule)(cli, id, json === true);
      });
  }
}
