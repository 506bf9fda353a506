import type { McpConnection, McpServer, ModelTool } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { abortableSleep } from '../context/abortable-sleep.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { mcpAnswer } from './mcp-answer.ts';
import { detectRefusal } from './mcp-refusal.ts';
import type { TransportOptions } from './mcp-transport.ts';
import { transportTo } from './mcp-transport.ts';

/** The servers that one activation uses. */
export interface McpServers {
  connect(server: McpServer): McpConnection;
  /** Disconnects from all servers; ends the processes that were started for the activation. */
  close(): Promise<void>;
}

/** Milliseconds before the second and the third attempt to get a list of tools. */
const listPausesMs = [500, 1000];
/** Beyond the time of one request, which a local server does not have. */
const longestCallMs = 24 * 60 * 60 * 1000;

/** Servers are reached when their first request is made, and again after a try that failed. */
export function mcpServers(
  { secret, workspaces }: Pick<WorkerContext, 'secret' | 'workspaces'>,
  {
    node,
    fetch,
    signal,
  }: { readonly node: string; readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): McpServers {
  const opened: Promise<Reached>[] = [];
  return {
    connect(server) {
      const limits = limitsOf(server);
      const onHeaders = detectRefusal(fetch);
      let reached: Promise<Reached> | undefined;
      const reach = async (): Promise<Client> => {
        if (reached === undefined) {
          const opening = open(server, { secret, workspaces, fetch: onHeaders.fetch, signal });
          reached = opening;
          opened.push(opening);
          opening.catch(() => {
            reached = undefined;
          });
        }
        return (await reached).client;
      };
      return {
        tools: () =>
          listWithRetries(async () => listed(await reach(), { timeout: limits.requestMs, signal }), {
            signal,
            isFinal: onHeaders.isFinal,
            failure: (error) => unreachable(server, node, error),
          }),
        async call(name, args, callContext) {
          const onprogress = (progress: Progress) => callContext.tell(`${progressText(progress)}\n`);
          const options = { timeout: limits.callMs, signal: callContext.signal, onprogress };
          return mcpAnswer(await (await reach()).callTool({ name, arguments: { ...args } }, options));
        },
      };
    },
    async close() {
      const servers = await Promise.allSettled(opened);
      await Promise.allSettled(servers.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
    },
  };
}

interface ListLimit {
  readonly signal: AbortSignal;
  /** Returns whether another attempt would fail in the same way. */
  isFinal(error: unknown): boolean;
  failure(error: unknown): NodeError;
}

/** Tries three times, as servers may still be starting, unless that changes nothing. */
async function listWithRetries<T>(ask: () => Promise<T>, { signal, isFinal, failure }: ListLimit): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof NodeError) throw error;
      const ms = listPausesMs[attempt];
      if (ms === undefined || isFinal(error)) throw failure(error);
      await abortableSleep(ms, signal);
    }
  }
}

function limitsOf(server: McpServer): { readonly requestMs: number; readonly callMs: number } {
  if (server.type === 'local') return { requestMs: server.startupTimeoutSeconds * 1000, callMs: longestCallMs };
  const ms = server.timeoutSeconds * 1000;
  return { requestMs: ms, callMs: ms };
}

interface Abortable {
  readonly signal: AbortSignal;
}

/** A connected server, and the function that disconnects from it. */
interface Reached {
  readonly client: Client;
  close(): Promise<void>;
}

async function open(server: McpServer, { signal, ...opening }: TransportOptions & Abortable): Promise<Reached> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'millrace', version: '0.1.0' });
  const { transport, end } = await transportTo(server, opening);
  const close = () => end(() => client.close());
  try {
    await client.connect(transport, { timeout: limitsOf(server).requestMs, signal });
    return { client, close };
  } catch (error) {
    // Ends a process that was started and never answered.
    await close();
    await transport.close();
    throw error;
  }
}

async function listed(
  client: Client,
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<readonly ModelTool[]> {
  const { tools } = await client.listTools({}, options);
  return tools.map(({ name, description = '', inputSchema }) => ({ name, description, parameters: inputSchema }));
}

/** Returns the progress of a server: its own text, or else the numbers. */
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
