import type { McpServer } from '@millrace/core';
import type { Transport } from '@modelcontextprotocol/client';
import { resolveSecrets } from '../context/reveal-secrets.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { wholeEnvironment } from '../programs/config.ts';
import { markProgram } from '../programs/program-mark.ts';
import type { McpBound } from './mcp-bound.ts';
import { boundedMcpFetch, boundRequests } from './mcp-bound.ts';

/** Options of a transport. */
export interface TransportOptions extends Pick<WorkerContext, 'secret'> {
  readonly fetch: typeof fetch;
  readonly bound: McpBound;
}

/** Returns the transport to a server; one that is a command is started when the client connects. */
export async function transportTo(server: McpServer, options: TransportOptions): Promise<Transport> {
  const transport = await openTransport(server, options);
  boundRequests(transport, options.bound);
  return transport;
}

async function openTransport(server: McpServer, { secret, fetch, bound }: TransportOptions): Promise<Transport> {
  const revealed = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolveSecrets(value, secret)]));
  if (server.type === 'remote') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: boundedMcpFetch(fetch, bound),
      requestInit: { headers: revealed(server.headers) },
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
  const known = { ...(inheritEnv ? wholeEnvironment() : getDefaultEnvironment()), ...revealed(env) };
  const started = { command, args, ...(cwd === undefined ? {} : { cwd }), env: known, mark: markProgram() };
  return new LocalTransport(started, bound);
}

/** Delays of reconnections: a server names one, which may be 0 or longer than a timer can wait. */
const [shortestReconnectMs, longestReconnectMs] = [1000, 30_000] as const;
