import type { Command } from 'commander';
import { Option } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import { momentArgument } from '../../options/moment-argument.ts';
import type { Cli } from '../../process/cli.ts';
import type { BulkFlags, BulkStatus } from '../../resources/bulk.ts';

const actions = [
  {
    action: 'cancel',
    description: 'cancel all runs that match a filter and have not ended',
    statuses: ['running', 'waiting', 'paused', 'stopping'],
  },
  { action: 'retry', description: 'retry all failed runs that match a filter', statuses: ['failed'] },
] as const satisfies readonly { readonly statuses: readonly BulkStatus[]; readonly [name: string]: unknown }[];

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
    command.action(async (flags: BulkFlags) => {
      const { startBulkOrder } = await import('../../resources/bulk.ts');
      await startBulkOrder(cli, action, flags);
    });
  }
  bulk
    .command('list')
    .description('list the bulk cancellations and retries of the last week, newest first')
    .addHelpText('after', '\nExample:\n  millrace bulk list')
    .option('--limit <n>', 'maximum number of entries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .action(async (flags: { limit: number; json?: boolean }) => {
      const { listBulk } = await import('../../resources/bulk.ts');
      await listBulk(cli, flags);
    });
  bulk
    .command('get')
    .description('print the progress of a bulk cancellation or retry')
    .addHelpText('after', '\nExample:\n  millrace bulk get 01939a0c')
    .argument('<id>', 'id that `bulk cancel` or `bulk retry` has printed')
    .option('--json', 'print {id, status, done, left, …}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { showBulk } = await import('../../resources/bulk.ts');
      await showBulk(cli, id, json === true);
    });
}
