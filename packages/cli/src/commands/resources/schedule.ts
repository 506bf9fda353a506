import type { Command } from 'commander';
import { Option } from 'commander';
import type { Cli } from '../../process/cli.ts';
import { addRunTemplateOptions } from '../../requests/run-template.ts';
import type { NewSchedule, ScheduleTimes } from '../../resources/schedules.ts';

type CreateFlags = Omit<NewSchedule, 'id' | 'named'>;

/** `millrace schedule`: runs that start by the clock. */
export function addSchedule(program: Command, cli: Cli): void {
  const schedule = program.command('schedule').description('runs that start at times that recur');
  addTimes(addRunTemplateOptions(schedule.command('create')))
    .description('start a run of a workflow again and again')
    .argument('<id>', 'what the schedule is called: letters, digits, _ and -')
    .argument('<file|name>', 'the workflow: a file, or a published one as NAME or NAME@HASH')
    .requiredOption(
      '--cron <times>',
      'when: minute, hour, day, month, day of the week; six fields begin with seconds; or @hourly, @daily and so on',
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
    .option('--timezone <name>', 'where the times are meant, as in Europe/Berlin (default: UTC)')
    .addOption(
      new Option('--missed <what>', 'what becomes of times while no server ran (default: once)').choices([
        'skip',
        'once',
        'all',
      ]),
    )
    .addOption(
      new Option('--overlap <what>', 'whether a run starts while the last one goes on (default: allow)').choices([
        'allow',
        'skip',
      ]),
    )
    .option('--description <text>', 'for people to know it by');

function addLooks(schedule: Command, cli: Cli): void {
  schedule
    .command('list')
    .description('list schedules')
    .option('--json', 'print a JSON array')
    .action(async ({ json }: { json?: boolean }) => {
      const { listSchedules } = await import('../../resources/schedules.ts');
      await listSchedules(cli, json === true);
    });
  schedule
    .command('get')
    .description('print a schedule, and what became of its last time')
    .argument('<id>', 'the schedule')
    .option('--json', 'print {id, cron, nextAt, last, …}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { showSchedule } = await import('../../resources/schedules.ts');
      await showSchedule(cli, id, json === true);
    });
}

const switches = [
  { name: 'pause', paused: true, description: 'start nothing until it is resumed; times that pass are not missed' },
  { name: 'resume', paused: false, description: 'start runs again' },
] as const;

function addChanges(schedule: Command, cli: Cli): void {
  addTimes(schedule.command('change'))
    .description('change when a schedule starts its runs')
    .argument('<id>', 'the schedule')
    .option('--cron <times>', 'when')
    .option('--json', 'print {id, cron, nextAt, …}')
    .action(async (id: string, change: ScheduleTimes & { json?: boolean }) => {
      const { changeSchedule } = await import('../../resources/schedules.ts');
      await changeSchedule(cli, { id, ...change });
    });
  for (const { name, paused, description } of switches) {
    schedule
      .command(name)
      .description(description)
      .argument('<id>', 'the schedule')
      .option('--json', 'print {id, cron, nextAt, …}')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { changeSchedule } = await import('../../resources/schedules.ts');
        await changeSchedule(cli, { id, paused, json: json === true });
      });
  }
  const others = [
    { name: 'trigger', description: 'start what it starts now, and print the id of the run' },
    { name: 'rm', description: 'delete a schedule; its runs go on' },
  ] as const;
  for (const { name, description } of others) {
    schedule
      .command(name)
      .description(description)
      .argument('<id>', 'the schedule')
      .option('--json', name === 'rm' ? 'print {id, cron, …}' : 'print {runId, status}')
      .action(async (id: string, { json }: { json?: boolean }) => {
        const { removeSchedule, triggerSchedule } = await import('../../resources/schedules.ts');
        await (name === 'rm' ? removeSchedule : triggerSchedule)(cli, id, json === true);
      });
  }
}
