import type { BulkAction } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { activeStatuses } from '@millrace/core/run-status';
import type { Command } from 'commander';
import { Option } from 'commander';
import { reportMissingServers, withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { momentArgument, parseCount } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';
import { first } from '../../requests/pages.ts';

const actions = [
  {
    action: 'cancel',
    description: 'cancel all runs that match a filter and have not ended',
    statuses: activeStatuses,
  },
  { action: 'retry', description: 'retry all failed runs that match a filter', statuses: ['failed'] },
] as const;

/** Filter of runs, and what is done to them. */
interface BulkFlags {
  readonly workflow?: string;
  readonly tag?: string;
  readonly status?: (typeof actions)[number]['statuses'][number];
  /** Milliseconds since 1970. */
  readonly since?: string;
  readonly until?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

/** `millrace bulk`: cancels or retries many runs. */
export function addBulk(program: Command, cli: Cli): void {
  const bulk = program
    .command('bulk')
    .description('cancel or retry all runs that match a filter')
    .addHelpText('after', '\nExample:\n  millrace bulk retry --workflow poem --since 24h');
  for (const { action, description, statuses } of actions) {
    const command = bulk
      .command(action)
      .description(description)
      .addHelpText('after', `\nExample:\n  millrace bulk ${action} --workflow poem --since 24h`)
      .option('--workflow <name>', 'runs of one workflow')
      .option('--tag <tag>', 'runs with this tag')
      .addOption(new Option('--status <status>', 'entries with this status').choices([...statuses]))
      .option(
        '--since <time>',
        'runs that were started since then: a duration such as 24h, or an ISO time',
        momentArgument,
      )
      .option('--until <time>', 'runs that were started before then', momentArgument)
      .option('--json', 'print {id, status, done, left, …}');
    if (action === 'cancel') command.option('--reason <text>', 'reason, which is kept in the journals');
    command.action((flags: BulkFlags) => start(cli, action, flags));
  }
  bulk
    .command('list')
    .description('list the bulk cancellations and retries of the last week, newest first')
    .addHelpText('after', '\nExample:\n  millrace bulk list')
    .option('--limit <n>', 'maximum number of entries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action(({ limit, json }: { limit: number; json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) =>
        printBulkActions(cli, await first(limit, millrace.bulk.list()), json),
      ),
    );
  bulk
    .command('get')
    .description('print the progress of a bulk cancellation or retry')
    .addHelpText('after', '\nExample:\n  millrace bulk get 01939a0c')
    .argument('<id>', 'id that `bulk cancel` or `bulk retry` has printed')
    .option('--json', 'print {id, status, done, left, …}')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const found = await millrace.bulk.get(id);
        if (json) cli.terminal.data(JSON.stringify(found, null, 2));
        else await printBulkActions(cli, [found], json);
      }),
    );
}

async function start(cli: Cli, action: 'cancel' | 'retry', { reason, json, ...filter }: BulkFlags): Promise<void> {
  if (Object.keys(filter).length === 0) {
    throw new CommandError(exitCodes.invalid, 'Select the runs with --workflow, --tag, --status, --since or --until.');
  }
  await withSession(cli, {}, async (session) => {
    const given = await session.millrace.bulk.create(omitUndefined({ action, filter, reason }));
    cli.terminal.data(json ? JSON.stringify(given, null, 2) : given.id);
    cli.terminal.say(`Show the progress with: millrace bulk get ${given.id}`);
    await reportMissingServers(session);
  });
}

const printBulkActions = (
  { terminal }: Cli,
  bulkActions: readonly BulkAction[],
  json: boolean | undefined,
): Promise<void> =>
  printList(terminal, bulkActions, {
    json,
    empty: 'No bulk action was given in the last week: millrace bulk cancel --tag TAG',
    head: ['ID', 'ACTION', 'STATUS', 'DONE', 'LEFT', 'CREATED'],
    row: ({ id, action, status, done, left, createdAt }) => [
      id,
      action,
      status,
      String(done),
      String(left),
      new Date(createdAt).toISOString(),
    ],
  });
