import { delimiter, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { largestReply } from '@millrace/catalog';
import type { McpServer } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Transport } from '@modelcontextprotocol/client';
import { resolveSecrets } from '../context/reveal-secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { leadsInto } from '../files/confined-path.ts';
import { assertStartable } from '../programs/child-process.ts';
import { programEnvironment, wholeEnvironment } from '../programs/config.ts';
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
  const mark = markProgram();
  const place = cwd === undefined ? {} : { cwd };
  const variables: Record<string, string> = {
    ...(inheritEnv ? wholeEnvironment() : getDefaultEnvironment()),
    PATH: programEnvironment()['PATH'] ?? '',
    ...revealed(env),
    ...mark.env,
  };
  assertStartable({ file: command, args, ...place, env: variables });
  await assertOutsideOf(workspaces, { command, cwd, path: variables['PATH'] ?? '' });
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

interface StartedCommand {
  readonly command: string;
  readonly cwd: string | undefined;
  readonly path: string;
}

/** Throws SANDBOX_REQUIRED for a command that would execute what programs have written, outside of their sandbox. */
async function assertOutsideOf(workspaces: string, { command, cwd = '.', path }: StartedCommand): Promise<void> {
  const files = command.includes('/') ? [command] : path.split(delimiter);
  const places = [cwd, ...files.map((file) => resolve(cwd, file))].map((place) => resolve(place));
  const inside = await Promise.all(places.map((place) => leadsInto(workspaces, place)));
  if (!inside.includes(true)) return;
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
