import type { UsageLine, UsageReport } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import type { Command } from 'commander';
import { Option } from 'commander';
import { withSession } from '../../client/session.ts';
import { momentArgument } from '../../options/arguments.ts';
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
  await withSession(cli, {}, async ({ millrace }) => {
    const { data, total, nextCursor } = await millrace.usage({ ...query, limit: 200 });
    if (json) cli.terminal.data(JSON.stringify(data, null, 2));
    else if (data.length === 0) cli.terminal.say('There is no usage in this period.');
    else await printTable(cli, data, total, query.by);
    if (nextCursor !== null) cli.terminal.say('There are more tenants: GET /v1/usage?by=tenant lists all.', 'dim');
  });
}

/** Columns that are printed only where the sum is not 0. */
const rareColumns = [
  ['CACHED', 'cachedTokens'],
  ['WRITTEN', 'cacheWriteTokens'],
  ['REASONING', 'reasoningTokens'],
  ['SEARCHES', 'toolRequests'],
] as const;

const rareTitles = rareColumns.map(([title]) => title);

/** Returns the cost of calls; of those without a price, their number. */
const costText = ({ microUsd, unpriced }: UsageReport['total']): string =>
  [
    ...(microUsd === 0 && unpriced > 0 ? [] : [formatDollars(microUsd)]),
    ...(unpriced === 0 ? [] : [`${unpriced} unpriced`]),
  ].join(' + ');

/** Prints the lines of a report, with their sum as the last one. */
async function printTable(
  { terminal }: Cli,
  lines: readonly UsageLine[],
  total: UsageReport['total'],
  by: (typeof groups)[number],
): Promise<void> {
  const { columns } = await import('../../output/columns.ts');
  const hasRuns = by !== 'model';
  const hasLost = total.lostTokens !== 0;
  const hasSaved = total.savedMicroUsd !== 0;
  const rare = rareColumns.filter(([, field]) => total[field] !== 0);
  const cells = (numbers: UsageReport['total']): readonly string[] => [
    ...(hasRuns ? [String(numbers.runs), String(numbers.failed), String(numbers.budgetStopped)] : []),
    String(numbers.calls),
    String(numbers.promptTokens),
    String(numbers.completionTokens),
    ...rare.map(([, field]) => String(numbers[field])),
    costText(numbers),
    ...(hasSaved ? [formatDollars(numbers.savedMicroUsd)] : []),
    ...(hasLost ? [`${formatDollars(numbers.lostMicroUsd)}, ${numbers.lostTokens} tokens`] : []),
  ];
  terminal.data(
    columns(
      [
        by.toUpperCase(),
        ...(hasRuns ? ['RUNS', 'FAILED', 'BUDGET'] : []),
        'CALLS',
        'INPUT',
        'OUTPUT',
        ...rare.map(([title]) => title),
        'COST',
        ...(hasSaved ? ['SAVED'] : []),
        ...(hasLost ? ['LOST'] : []),
      ],
      [...lines.map((line) => [line[by] ?? '(others)', ...cells(line)]), ['total', ...cells(total)]],
      terminal.columns === undefined
        ? undefined
        : {
            width: terminal.columns,
            shrink: { [by.toUpperCase()]: 12 },
            optional: ['BUDGET', ...rareTitles.toReversed(), 'FAILED', 'RUNS', 'OUTPUT', 'INPUT'],
          },
    ),
  );
}
