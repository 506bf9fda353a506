import type { Command } from 'commander';
import { Option } from 'commander';
import { momentArgument } from '../../options/moment-argument.ts';
import type { Cli } from '../../process/cli.ts';
import type { BulkFlags, BulkStatus } from '../../resources/bulk.ts';

const actions = [
  {
    action: 'cancel',
    description: 'cancel all runs of a kind that have not ended',
    statuses: ['running', 'waiting', 'paused', 'stopping'],
  },
  { action: 'retry', description: 'go on with all runs of a kind that have failed', statuses: ['failed'] },
] as const satisfies readonly { readonly statuses: readonly BulkStatus[]; readonly [name: string]: unknown }[];

/** `millrace bulk`: the same for many runs at once. */
export function addBulk(program: Command, cli: Cli): void {
  const bulk = program.command('bulk').description('cancel or retry many runs at once');
  for (const { action, description, statuses } of actions) {
    const command = bulk
      .command(action)
      .description(description)
      .option('--workflow <name>', 'those of one workflow')
      .option('--tag <tag>', 'those with this tag')
      .addOption(new Option('--status <status>', 'those that stand so').choices([...statuses]))
      .option('--since <time>', 'those started then or later: so long ago, as in 24h, or an ISO time', momentArgument)
      .option('--until <time>', 'those started before then', momentArgument)
      .option('--json', 'print {id, status, done, left, …}');
    if (action === 'cancel') command.option('--reason <text>', 'why; kept in their journals');
    command.action(async (flags: BulkFlags) => {
      const { giveBulk } = await import('../../resources/bulk.ts');
      await giveBulk(cli, action, flags);
    });
  }
  bulk
    .command('get')
    .description('print how far it has come')
    .argument('<id>', 'what cancel or retry has printed')
    .option('--json', 'print {id, status, done, left, …}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { showBulk } = await import('../../resources/bulk.ts');
      await showBulk(cli, id, json === true);
    });
}
