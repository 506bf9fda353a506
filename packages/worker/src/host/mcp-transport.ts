import { delimiter, resolve } from 'node:path';
import { unsendableCharacter } from '@millrace/catalog';
import type { McpServer } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Transport } from '@modelcontextprotocol/client';
import { resolveSecrets } from '../context/secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { leadsInto } from '../files/confined-path.ts';
import { assertStartable } from '../programs/child-process.ts';
import { inheritableEnvironment, programEnvironment } from '../programs/config.ts';
import { markProgram } from '../programs/program-mark.ts';
import type { McpBound } from './mcp-bound.ts';
import { boundedMcpFetch, boundRequests } from './mcp-bound.ts';

/** Options of a transport. */
export interface TransportOptions extends Pick<WorkerContext, 'secret' | 'workspaces'> {
  readonly fetch: typeof fetch;
  readonly bound: McpBound;
}

/** Returns the transport to a server; one that is a command is started when the client connects. */
export async function transportTo(server: McpServer, options: TransportOptions): Promise<Transport> {
  const transport = await openTransport(server, options);
  boundRequests(transport, options.bound);
  return transport;
}

/** Returns headers as they are. Throws if one cannot be sent, such as the placeholder of an example: no retry would help. */
function sendable(headers: Readonly<Record<string, string>>): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    const character = unsendableCharacter(value);
    if (character !== undefined)
      throw new NodeError(
        'MCP_UNREACHABLE',
        `The header "${name}" contains the character ${character}, which no header can contain. Write its value again, or set its variable again where the worker runs.`,
      );
  }
  return { ...headers };
}

async function openTransport(
  server: McpServer,
  { secret, workspaces, fetch, bound }: TransportOptions,
): Promise<Transport> {
  const revealed = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolveSecrets(value, secret)]));
  if (server.type === 'remote') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: boundedMcpFetch(fetch, bound),
      requestInit: { headers: sendable(revealed(server.headers)) },
      reconnectionScheduler(reconnect, delayMs) {
        const timer = setTimeout(reconnect, Math.min(Math.max(delayMs, shortestReconnectMs), longestReconnectMs));
        return () => clearTimeout(timer);
      },
    });
  }
  const [{ LocalTransport }, { getDefaultEnvironment }] = await Promise.all([
    import('./local-transport.ts'),
    import('@modelcontextprotocol/client/stdio'),
  ]);
  const { command, args, cwd, env, inheritEnv } = server;
  const place = cwd === undefined ? {} : { cwd };
  const known: Record<string, string> = {
    ...(inheritEnv ? inheritableEnvironment() : getDefaultEnvironment()),
    PATH: programEnvironment()['PATH'] ?? '',
    ...revealed(env),
  };
  assertStartable({ file: command, args, ...place, env: known });
  await assertOutsideOf(workspaces, { command, cwd, path: known['PATH'] ?? '' });
  const started = { command, args, ...place, env: known, mark: markProgram() };
  return new LocalTransport(started, bound);
}

/** Delays of reconnections: a server names one, which may be 0 or longer than a timer can wait. */
const [shortestReconnectMs, longestReconnectMs] = [1000, 30_000] as const;

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
