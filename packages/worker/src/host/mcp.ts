import type { McpConnection, McpServer, OfferedTool } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Client, Progress, Transport } from '@modelcontextprotocol/client';
import { wholeEnvironment } from '../config.ts';
import type { Crew } from '../crew.ts';
import { mcpAnswer } from './mcp-answer.ts';
import { pause } from './pause.ts';
import { reveal } from './reveal.ts';

/** The servers that one activation uses. */
export interface McpServers {
  connect(server: McpServer): McpConnection;
  /** Leaves all servers; a process that was started for the activation is ended. */
  close(): Promise<void>;
}

/** How long to wait before the second and the third try to get a list of tools. */
const listPausesMs = [500, 1000];
/** Beyond the time of one request, which a local server does not have. */
const longestCallMs = 24 * 60 * 60 * 1000;

/** Servers are reached when their first request is made, and again after a try that failed. */
export function mcpServers(
  { secret }: Pick<Crew, 'secret'>,
  {
    node,
    fetch,
    signal,
  }: { readonly node: string; readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): McpServers {
  const opened: Promise<Client>[] = [];
  return {
    connect(server) {
      const limits = limitsOf(server);
      let client: Promise<Client> | undefined;
      const reach = (): Promise<Client> => {
        if (client !== undefined) return client;
        const opening = open(server, { secret, fetch, signal });
        client = opening;
        opened.push(opening);
        opening.catch(() => {
          client = undefined;
        });
        return opening;
      };
      return {
        tools: () =>
          patiently(async () => listed(await reach(), { timeout: limits.requestMs, signal }), {
            signal,
            failure: (error) => unreachable(server, node, error),
          }),
        async call(name, args, around) {
          const onprogress = (progress: Progress) => around.tell(`${progressText(progress)}\n`);
          const options = { timeout: limits.callMs, signal: around.signal, onprogress };
          return mcpAnswer(await (await reach()).callTool({ name, arguments: { ...args } }, options));
        },
      };
    },
    async close() {
      const clients = await Promise.allSettled(opened);
      await Promise.allSettled(clients.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
    },
  };
}

interface Patience {
  readonly signal: AbortSignal;
  failure(error: unknown): NodeError;
}

/** Tries three times: servers may still be starting. */
async function patiently<T>(ask: () => Promise<T>, { signal, failure }: Patience): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NodeError) throw error;
      const ms = listPausesMs[attempt];
      if (ms === undefined) throw failure(error);
      await pause(ms, signal);
    }
  }
}

function limitsOf(server: McpServer): { readonly requestMs: number; readonly callMs: number } {
  if (server.type === 'local') return { requestMs: server.startupTimeoutSeconds * 1000, callMs: longestCallMs };
  const ms = server.timeoutSeconds * 1000;
  return { requestMs: ms, callMs: ms };
}

interface Opening extends Pick<Crew, 'secret'> {
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

async function open(server: McpServer, opening: Opening): Promise<Client> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'millrace', version: '0.1.0' });
  const transport = await transportTo(server, opening);
  try {
    await client.connect(transport, { timeout: limitsOf(server).requestMs, signal: opening.signal });
    return client;
  } catch (error) {
    // A process that was started and then said nothing is not to be left behind.
    await client.close();
    await transport.close();
    throw error;
  }
}

async function transportTo(server: McpServer, { secret, fetch }: Opening): Promise<Transport> {
  const revealed = (values: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, reveal(value, secret)]));
  if (server.type === 'remote') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(server.url), {
      fetch,
      requestInit: { headers: revealed(server.headers) },
    });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args, cwd, env, inheritEnv } = server;
  return new StdioClientTransport({
    command,
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...(inheritEnv ? wholeEnvironment() : getDefaultEnvironment()), ...revealed(env) },
    stderr: 'ignore',
  });
}

async function listed(
  client: Client,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly OfferedTool[]> {
  const { tools } = await client.listTools({}, options);
  return tools.map(({ name, description = '', inputSchema }) => ({ name, description, parameters: inputSchema }));
}

/** A server's own words for how far it has come, or else the numbers. */
const progressText = ({ message, progress, total }: Progress): string =>
  message ?? (total === undefined ? String(progress) : `${progress} of ${total}`);

/** The URL is shown without its query, which may hold a key. */
function unreachable(server: McpServer, node: string, error: unknown): NodeError {
  const where =
    server.type === 'remote' ? `at ${server.url.replace(/[?#].*$/, '')}` : `started by \`${server.command}\``;
  const reason = error instanceof Error ? error.message : String(error);
  return new NodeError(
    'MCP_UNREACHABLE',
    `Agent "${node}" cannot get the tools of the MCP server ${where}: ${reason}. Check that it runs and answers within its timeout.`,
    { transient: true, cause: error },
  );
}
