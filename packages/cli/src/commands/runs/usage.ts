import type { Command } from 'commander';
import { Option } from 'commander';
import { momentArgument } from '../../options/moment-argument.ts';
import type { Cli } from '../../process/cli.ts';

const groups = ['day', 'workflow', 'model', 'tenant'] as const;

interface UsageOptions {
  readonly by: (typeof groups)[number];
  readonly since?: string;
  readonly until?: string;
  readonly workflow?: string;
  readonly model?: string;
  readonly tenant?: string;
  readonly json?: boolean;
}

/** `millrace usage`: reports model calls, their cost, and the ends of runs. */
export function addUsage(program: Command, cli: Cli): void {
  program
    .command('usage')
    .description('list the costs, tokens and runs of each day, workflow or model')
    .addOption(new Option('--by <part>', 'what to add up by').choices(groups).default('day'))
    .option(
      '--since <time>',
      'from this day on: a duration such as 90d, or an ISO time (default: 30 days)',
      momentArgument,
    )
    .option('--until <time>', 'up to this day (default: today); days are of UTC', momentArgument)
    .option('--workflow <name>', 'of one workflow')
    .option('--model <name>', 'of one model')
    .option('--tenant <name>', 'of this tenant, for operators')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace usage --by workflow --since 7d')
    .action(async (options: UsageOptions) => printUsage(cli, options));
}

async function printUsage(cli: Cli, { json, ...query }: UsageOptions): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  await withSession(cli, {}, async ({ millrace }) => {
    const { data, total, nextCursor } = await millrace.usage({ ...query, limit: 200 });
    if (json) cli.terminal.data(JSON.stringify(data, null, 2));
    else if (data.length === 0) cli.terminal.say('There is no usage in this period.');
    else {
      const { usageTable } = await import('../../output/tables/usage-table.ts');
      cli.terminal.data(usageTable(data, total, query.by));
    }
    if (nextCursor !== null) cli.terminal.say('There are more tenants: GET /v1/usage?by=tenant lists all.', 'dim');
  });
}
