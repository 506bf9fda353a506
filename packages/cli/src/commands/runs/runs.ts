import type { Millrace, RunLine, RunsQuery } from '@millrace/client';
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Session } from '../../client/session.ts';
import { parseCount } from '../../options/count-argument.ts';
import { momentArgument } from '../../options/moment-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface RunsOptions extends Pick<RunsQuery, 'status' | 'workflow' | 'tag'> {
  readonly tenant?: string;
  readonly since?: string;
  readonly until?: string;
  readonly after?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const statuses = ['running', 'waiting', 'paused', 'stopping', 'completed', 'failed', 'cancelled', 'terminated'];

/** `millrace runs`: lists the newest runs. */
export function addRuns(program: Command, cli: Cli): void {
  program
    .command('runs')
    .description('list runs, newest first')
    .option('--limit <n>', 'maximum number of runs', parseCount, 20)
    .option('--after <cursor>', 'the next page: the cursor that the page before has printed')
    .addOption(new Option('--status <status>', 'runs with this status').choices(statuses))
    .option('--workflow <name>', 'runs of one workflow')
    .option('--tag <tag>', 'runs with this tag')
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

async function listRuns(cli: Cli, { json, tenant, limit, after, ...query }: RunsOptions): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { firstPage } = await import('../../requests/first.ts');
  await withSession(cli, {}, async (session) => {
    const { runs } = await ofTenant(session, tenant);
    const { data, nextCursor } = await firstPage(limit, after, (cursor, size) =>
      runs.list({ ...query, limit: size }).page(cursor),
    );
    if (json) cli.terminal.data(JSON.stringify(data.map(lineJson), null, 2));
    else if (data.length === 0) cli.terminal.say('No runs match.');
    else cli.terminal.data((await import('../../output/tables/runs-table.ts')).runsTable(data));
    if (nextCursor !== null) cli.terminal.say(`There are more: add --after ${nextCursor}`, 'dim');
  });
}
/** Returns the installation as a tenant sees it; by default, as the session does. */
async function ofTenant(session: Session, tenant: string | undefined): Promise<Millrace> {
  if (tenant === undefined) return session.millrace;
  const { isLocal } = await import('../../client/session.ts');
  if (isLocal(session)) return session.ofTenant(tenant);
  const { CommandError, exitCodes } = await import('../../exit/exit.ts');
  throw new CommandError(exitCodes.invalid, 'Over MILLRACE_URL only the runs of the tenant of the key are available.');
}

/** Returns a line as `--json` shows it: a run without tags has no list of them. */
const lineJson = ({ tags, ...line }: RunLine): object => (tags.length === 0 ? line : { ...line, tags });
