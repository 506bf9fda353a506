import { embedWorker } from '../client/embed-worker.ts';
import { reportMissingWorkers, withMachine } from '../client/session.ts';
import { installationSecret } from '../config/installation-secret.ts';
import { CommandError, exitCodes } from '../exit/exit.ts';
import { openLog } from '../output/log.ts';
import type { Cli } from '../process/cli.ts';
import { aborted, interruption } from '../process/interruption.ts';

/** Serves the Model Context Protocol until the client disconnects or SIGTERM. The user who starts the program has all rights. */
export async function serveMcpStdio(cli: Cli, { tenant, work }: { tenant?: string; work?: boolean }): Promise<void> {
  const { api } = await cli.config();
  if (api !== undefined) {
    if (tenant !== undefined || work === true) throw new CommandError(exitCodes.invalid, nearOnly);
    const { relayMcp } = await import('./relay-mcp.ts');
    const { signal, dispose } = await interruption(cli, exitCodes.completed);
    await relayMcp(api, signal);
    return dispose();
  }
  await speakNear(cli, { tenant: tenant ?? 'default', work: work === true });
}

const nearOnly =
  'Over MILLRACE_URL the tenant is that of the key, and workers are elsewhere: leave --tenant and --work out, or unset MILLRACE_URL.';

async function speakNear(
  cli: Cli,
  { tenant, work }: { readonly tenant: string; readonly work: boolean },
): Promise<void> {
  const { tenantPattern } = await import('@millrace/core');
  if (!tenantPattern.test(tenant))
    throw new CommandError(exitCodes.invalid, `"${tenant}" is not a valid name of a tenant.`);
  const { signal, dispose } = await interruption(cli, exitCodes.completed);
  await withMachine(cli, { command: 'mcp', throughOutages: true, stopping: signal }, async (session) => {
    const [{ serveMcp }, { openMcpStdio }] = await Promise.all([
      import('@millrace/orchestrator'),
      import('./mcp-stdio.ts'),
    ]);
    if (work) await embedWorker(session, { logLevel: 'warn' });
    else await reportMissingWorkers(session);
    const closing = new AbortController();
    const config = await cli.config();
    const { transport, ended } = openMcpStdio();
    const server = await serveMcp({
      ...session.machine,
      tenant,
      secret: installationSecret(config),
      ...(config.outbound && { allow: config.outbound }),
      scopes: ['read', 'run', 'answer'],
      log: await openLog(config, 'warn'),
      closing: closing.signal,
      transport,
    });
    await Promise.race([ended, aborted(signal)]);
    closing.abort();
    await server.close();
  });
  dispose();
}
