import type { Command } from 'commander';
import { embedWorker } from '../../client/embed-worker.ts';
import { reportMissingWorkers, withMachine } from '../../client/session.ts';
import { installationSecret } from '../../config/installation-secret.ts';
import { CommandError, exitCodes } from '../../exit/exit.ts';
import { openLog } from '../../output/log.ts';
import type { Cli } from '../../process/cli.ts';
import { aborted, interruption } from '../../process/interruption.ts';

interface McpFlags {
  readonly tenant?: string;
  readonly work?: boolean;
}

/** `millrace mcp`: serves published workflows as tools of the Model Context Protocol. */
export function addMcp(program: Command, cli: Cli): void {
  program
    .command('mcp')
    .description('offer published workflows as tools to an MCP client, over standard input and output')
    .addHelpText('after', '\nExample:\n  millrace mcp --work')
    .option(
      '--tenant <name>',
      'tenant of the workflows and runs (default: default; over MILLRACE_URL the tenant of the key)',
    )
    .option('--work', 'execute runs in this process as well')
    .option('--json', 'no effect: the output is always JSON')
    .action((flags: McpFlags) => serveMcp(cli, flags));
}

/** Serves the protocol until the client disconnects, or SIGTERM or SIGHUP. The user who starts the program has all rights. */
async function serveMcp(cli: Cli, { tenant, work }: McpFlags): Promise<void> {
  const { api } = await cli.config();
  if (api === undefined) return serveLocally(cli, tenant ?? 'default', work);
  if (tenant !== undefined || work)
    throw new CommandError(
      exitCodes.invalid,
      'Over MILLRACE_URL the tenant is that of the key, and workers are elsewhere: leave --tenant and --work out, or unset MILLRACE_URL.',
    );
  const { relayMcp } = await import('../../serve/relay-mcp.ts');
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await relayMcp(api, signal);
  dispose();
}

async function serveLocally(cli: Cli, tenant: string, work: boolean | undefined): Promise<void> {
  const { tenantPattern } = await import('@millrace/core');
  if (!tenantPattern.test(tenant))
    throw new CommandError(exitCodes.invalid, `"${tenant}" is not a valid name of a tenant.`);
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command: 'mcp', throughOutages: true, stopping: signal }, async (session) => {
    const [orchestrator, { openMcpStdio }] = await Promise.all([
      import('@millrace/orchestrator'),
      import('../../serve/mcp-stdio.ts'),
    ]);
    const config = await cli.config();
    const log = await openLog(config, 'warn');
    if (work) await embedWorker(session, { log });
    else await reportMissingWorkers(session);
    const closing = new AbortController();
    const { transport, ended } = openMcpStdio();
    const server = await orchestrator.serveMcp({
      ...session.machine,
      tenant,
      secret: installationSecret(config),
      ...(config.outbound && { allow: config.outbound }),
      scopes: ['read', 'run', 'answer'],
      log,
      closing: closing.signal,
      transport,
    });
    await Promise.race([ended, aborted(signal)]);
    closing.abort();
    await server.close();
  });
  dispose();
}
