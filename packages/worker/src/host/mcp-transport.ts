import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { largestReply } from '@millrace/catalog';
import type { McpServer } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Transport } from '@modelcontextprotocol/client';
import { resolveSecrets } from '../context/reveal-secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { isWithin } from '../files/confined-path.ts';
import { assertStartable } from '../programs/child-process.ts';
import { wholeEnvironment } from '../programs/config.ts';
import { markProgram } from '../programs/program-mark.ts';

/** Options of a transport. */
export interface TransportOptions extends Pick<WorkerContext, 'secret' | 'workspaces'> {
  readonly fetch: typeof fetch;
}

/** A transport to a server; `end` closes its client, and ends what the server has started. */
export interface McpTransport {
  readonly transport: Transport;
  end(close: () => Promise<void>): Promise<void>;
}

/** Returns the transport to a server; one that is a command is started when the client connects. */
export async function transportTo(
  server: McpServer,
  { secret, workspaces, fetch }: TransportOptions,
): Promise<McpTransport> {
  const revealed = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolveSecrets(value, secret)]));
  if (server.type === 'remote') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const requestInit = { headers: revealed(server.headers) };
    return {
      transport: new StreamableHTTPClientTransport(new URL(server.url), { fetch, requestInit }),
      end: (close) => close(),
    };
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args, cwd, env, inheritEnv } = server;
  assertOutsideOf(workspaces, { command, cwd });
  const mark = markProgram();
  const place = cwd === undefined ? {} : { cwd };
  const variables = { ...(inheritEnv ? wholeEnvironment() : getDefaultEnvironment()), ...revealed(env), ...mark.env };
  assertStartable({ file: command, args, ...place, env: variables });
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    ...place,
    env: variables,
    maxBufferSize: largestReply,
    stderr: 'ignore',
  });
  return {
    transport,
    async end(close) {
      const { pid } = transport;
      const closing = close();
      // Processes that the server has started may hold its output, and the client waits for the end of that.
      await Promise.race([closing, ended(pid)]);
      await mark.kill();
      await closing;
    },
  };
}

/** Throws SANDBOX_REQUIRED for a command that would execute what programs have written, outside of their sandbox. */
function assertOutsideOf(
  workspaces: string,
  { command, cwd = '.' }: { command: string; cwd: string | undefined },
): void {
  const paths = [cwd, ...(command.includes('/') ? [resolve(cwd, command)] : [])];
  if (!paths.some((path) => isWithin(workspaces, resolve(path)))) return;
  throw new NodeError(
    'SANDBOX_REQUIRED',
    `The MCP server "${command}" cannot be started from a workspace, because MCP servers run outside of the sandbox. Install it where the worker runs.`,
  );
}

const lookingMs = 20;

/** Waits for the end of a process, if there is one. */
async function ended(pid: number | null): Promise<void> {
  while (pid !== null && isAlive(pid)) await sleep(lookingMs);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
