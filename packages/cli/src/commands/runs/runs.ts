import type { Millrace, RunLine } from '@millrace/client';
import type { Command } from 'commander';
import type { Session } from '../../client/session.ts';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface RunsOptions {
  readonly tenant?: string;
  readonly workflow?: string;
  readonly tag?: string;
  readonly limit: number;
  readonly json?: boolean;
}

/** `millrace runs`: lists the newest runs. */
export function addRuns(program: Command, cli: Cli): void {
  program
    .command('runs')
    .description('list runs, newest first')
    .option('--limit <n>', 'at most this many', parseCount, 20)
    .option('--workflow <name>', 'those of one workflow')
    .option('--tag <tag>', 'those with this tag')
    .option('--tenant <name>', 'those of this tenant (default: those started without one)')
    .option('--json', 'print a JSON array')
    .action(async (options: RunsOptions) => listRuns(cli, options));
}

async function listRuns(cli: Cli, { json, tenant, limit, ...filter }: RunsOptions): Promise<void> {
  const { withSession } = await import('../../client/session.ts');
  const { first } = await import('../../requests/first.ts');
  await withSession(cli, {}, async (session) => {
    const { runs } = await ofTenant(session, tenant);
    const found = await first(limit, runs.list({ ...filter, limit: Math.min(limit, largestPage) }));
    if (json) cli.terminal.data(JSON.stringify(found.map(lineJson), null, 2));
    else if (found.length === 0) cli.terminal.say('There are no runs yet.');
    else cli.terminal.data((await import('../../output/runs-table.ts')).runsTable(found));
  });
}

const largestPage = 200;

/** Returns the installation as a tenant sees it; by default, as the session does. */
async function ofTenant(session: Session, tenant: string | undefined): Promise<Millrace> {
  if (tenant === undefined) return session.millrace;
  const { isLocal } = await import('../../client/session.ts');
  if (isLocal(session)) return session.ofTenant(tenant);
  const { CommandError, exitCodes } = await import('../../exit/exit.ts');
  throw new CommandError(exitCodes.invalid, 'Over MILLRACE_URL there are the runs of the tenant of the key only.');
}

/** Returns a line as `--json` shows it: a run without tags has no list of them. */
const lineJson = ({ tags, ...line }: RunLine): object => (tags.length === 0 ? line : { ...line, tags });
