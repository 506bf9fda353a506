import type { McpConnection, McpServer } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { abortableSleep } from '../context/abortable-sleep.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { version } from '../version.ts';
import { mcpAnswer } from './mcp-answer.ts';
import type { McpBound } from './mcp-bound.ts';
import { createMcpBound, nameOf } from './mcp-bound.ts';
import { detectRefusal } from './mcp-refusal.ts';
import { listMcpTools } from './mcp-tool-list.ts';
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
      const reach = (): Promise<Reached> => {
        if (reached === undefined) {
          const bound = createMcpBound(server, node);
          const opening = open(server, { secret, workspaces, fetch: onHeaders.fetch, bound, signal });
          reached = opening;
          opened.push(opening);
          opening.catch(() => {
            reached = undefined;
          });
        }
        return reached;
      };
      return {
        tools: () =>
          listWithRetries(async () => listMcpTools(await reach(), { timeoutMs: limits.requestMs, signal }), {
            signal,
            isFinal: onHeaders.isFinal,
            failure: (error) => unreachable(server, node, error),
          }),
        async call(name, args, callContext) {
          const { client, bound } = await reach();
          const onprogress = (progress: Progress) => callContext.tell(`${progressText(progress)}\n`);
          const called = await bound.within(callContext.signal, (within) =>
            client.callTool({ name, arguments: { ...args } }, { timeout: limits.callMs, signal: within, onprogress }),
          );
          return mcpAnswer(called);
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

/** A connected server, the bound of its connection, and the function that disconnects from it. */
interface Reached {
  readonly client: Client;
  readonly bound: McpBound;
  close(): Promise<void>;
}

async function open(server: McpServer, { signal, ...opening }: TransportOptions & Abortable): Promise<Reached> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client({ name: 'millrace', version });
  const { bound } = opening;
  const transport = await transportTo(server, opening);
  const close = async () => {
    await client.close();
    // The client knows its transport only if that has been started.
    await transport.close();
  };
  // Nothing more is received from a server that has exceeded a limit, by any request.
  bound.signal.addEventListener('abort', () => void close().catch(() => undefined), { once: true });
  try {
    const timeout = limitsOf(server).requestMs;
    await bound.within(signal, (within) => client.connect(transport, { timeout, signal: within }));
    return { client, bound, close };
  } catch (error) {
    // Ends a process that was started and never answered.
    await close();
    throw error;
  }
}

/** Maximum length of a message of progress, in characters. */
const longestProgress = 2000;

/** Returns the progress of a server: its own text, or else the numbers. */
const progressText = ({ message, progress, total }: Progress): string =>
  message?.slice(0, longestProgress) ?? (total === undefined ? String(progress) : `${progress} of ${total}`);

/** Maximum length of the reason of a failure, in characters: a server may answer with a whole page. */
const longestReason = 500;

function unreachable(server: McpServer, node: string, error: unknown): NodeError {
  const reason = error instanceof Error ? error.message : String(error);
  const shown = reason.length > longestReason ? `${reason.slice(0, longestReason)}…` : reason;
  return new NodeError(
    'MCP_UNREACHABLE',
    `Agent "${node}" cannot get the tools of the MCP server ${nameOf(server)}: ${shown}. Check that it runs and answers within its timeout.`,
    { transient: true, cause: error },
  );
}
