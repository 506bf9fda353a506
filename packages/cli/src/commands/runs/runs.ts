import type { Millrace, RunLine, RunsQuery } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { runStatuses } from '@millrace/core/run-status';
import { tokensOf } from '@millrace/core/usage';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Session } from '../../client/session.ts';
import { isLocal, withSession } from '../../client/session.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { momentArgument, parseCount } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import { ageText, shortLine } from '../../output/short-text.ts';
import type { Cli } from '../../process/cli.ts';
import { firstPage } from '../../requests/pages.ts';

interface RunsOptions extends Pick<RunsQuery, 'status' | 'workflow' | 'tag' | 'text'> {
  readonly search?: string;
  readonly tenant?: string;
  readonly since?: string;
  readonly until?: string;
  readonly after?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `millrace runs`: lists the newest runs. */
export function addRuns(program: Command, cli: Cli): void {
  program
    .command('runs')
    .description('list runs, newest first')
    .option('--limit <n>', 'maximum number of runs', parseCount, 20)
    .option('--after <cursor>', 'the next page: the cursor that the page before has printed')
    .addOption(new Option('--status <status>', 'runs with this status').choices(runStatuses))
    .option('--workflow <name>', 'runs of one workflow')
    .option('--tag <tag>', 'runs with this tag')
    .option('--search <words>', 'runs whose id, title, tags or workflow have words that begin so')
    .option('--text <words>', 'runs whose task or result contains these words; use it with other filters')
    .option(
      '--since <time>',
      'runs that were started since then: a duration such as 24h, or an ISO time',
      momentArgument,
    )
    .option('--until <time>', 'runs that were started before then', momentArgument)
    .option('--tenant <name>', 'runs of this tenant (default: runs without a tenant)')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace runs --status failed --workflow poem --since 24h --limit 50')
    .action(async (options: RunsOptions) => listRuns(cli, options));
}

async function listRuns(cli: Cli, { json, tenant, limit, after, search: q, ...query }: RunsOptions): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const { runs } = await ofTenant(session, tenant);
    const { data, nextCursor } = await firstPage(limit, after, (cursor, size) =>
      runs.list({ ...query, ...omitUndefined({ q }), limit: size }).page(cursor),
    );
    if (json) cli.terminal.data(JSON.stringify(data.map(lineJson), null, 2));
    else await printRuns(cli, data, emptyText([q, after, ...Object.values(query)]));
    if (nextCursor !== null) cli.terminal.say(`There are more: add --after ${nextCursor}`, 'dim');
  });
}

const emptyText = (filters: readonly unknown[]): string =>
  filters.every((filter) => filter === undefined)
    ? 'There are no runs yet. `millrace run FILE` starts one.'
    : 'No runs match.';

function printRuns({ terminal }: Cli, runs: readonly RunLine[], empty: string): Promise<void> {
  const now = Date.now();
  const isTerminal = terminal.columns !== undefined;
  return printList(terminal, runs, {
    json: false,
    empty,
    head: ['RUN', 'WORKFLOW', 'STATUS', isTerminal ? 'AGE' : 'STARTED', 'DURATION', 'TOKENS', 'COST', 'TITLE'],
    // Commands take the beginning of an id.
    fit: {
      shrink: { RUN: 16, WORKFLOW: 12, TITLE: 12 },
      prefixes: ['RUN'],
      optional: ['TOKENS', 'DURATION', 'COST', 'TITLE', 'WORKFLOW'],
    },
    row: ({ runId, workflow, status, startedAt, finishedAt, usage, title = '' }) => [
      runId,
      workflow,
      status,
      isTerminal ? ageText(now - startedAt) : new Date(startedAt).toISOString(),
      finishedAt === undefined ? '' : `${((finishedAt - startedAt) / 1000).toFixed(1)}s`,
      usage === undefined ? '' : String(tokensOf(usage)),
      usage?.microUsd === undefined ? '' : formatDollars(usage.microUsd),
      shortLine(title),
    ],
  });
}

/** Returns the installation as a tenant sees it; by default, as the session does. */
async function ofTenant(session: Session, tenant: string | undefined): Promise<Millrace> {
  if (tenant === undefined) return session.millrace;
  if (isLocal(session)) return session.ofTenant(tenant);
  throw new CommandError(exitCodes.invalid, 'Over MILLRACE_URL only the runs of the tenant of the key are available.');
}

/** Returns a line as `--json` shows it: a run without tags has no list of them. */
const lineJson = ({ tags, ...line }: RunLine): object => (tags.length === 0 ? line : { ...line, tags });
