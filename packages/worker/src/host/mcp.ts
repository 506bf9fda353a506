import { boundedFetch, largestReply, linkedController } from '@millrace/catalog';
import type { McpConnection, McpServer, ModelTool } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { abortableSleep } from '../context/abortable-sleep.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { version } from '../version.ts';
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
/** Maximum number of pages and tools of a list, and of characters of their descriptions and schemas. */
const maxPages = 16;
const maxTools = 1000;
const maxListCharacters = 4 * 1024 * 1024;
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
      const bounded = boundedFetch(fetch, () => replyTooLarge(server));
      const onHeaders = detectRefusal(bounded.fetch);
      let overflow: NodeError | undefined;
      const onError = (error: Error): void => {
        if (isBufferOverflow(error)) overflow = replyTooLarge(server);
      };
      /** Ends a request also when nobody waits for the response that is too large, as with streams. */
      const within = async <T>(callSignal: AbortSignal, request: (ending: AbortSignal) => Promise<T>): Promise<T> => {
        const ending = linkedController(callSignal, bounded.exceeded);
        try {
          return await request(ending.signal);
        } catch (error) {
          callSignal.throwIfAborted();
          throw bounded.tooLarge ?? overflow ?? error;
        } finally {
          ending.unlink();
        }
      };
      let reached: Promise<Reached> | undefined;
      const reach = async (): Promise<Client> => {
        if (reached === undefined) {
          const opening = open(server, { secret, workspaces, fetch: onHeaders.fetch, signal, onError });
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
          listWithRetries(() => within(signal, async (ending) => listOf(server, await reach(), ending)), {
            signal,
            isFinal: onHeaders.isFinal,
            failure: (error) => unreachable(server, node, error),
          }),
        async call(name, args, callContext) {
          const onprogress = (progress: Progress) => callContext.tell(`${progressText(progress)}\n`);
          return within(callContext.signal, async (ending) => {
            const options = { timeout: limits.callMs, signal: ending, onprogress };
            return mcpAnswer(await (await reach()).callTool({ name, arguments: { ...args } }, options));
          });
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

async function open(
  server: McpServer,
  { signal, onError, ...opening }: TransportOptions & Abortable & { onError(error: Error): void },
): Promise<Reached> {
  const { Client } = await import('@modelcontextprotocol/client');
  const client = new Client(
    { name: 'millrace', version },
    {
      listMaxPages: maxPages,
      // A server that describes its results does not get to execute its patterns here.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  client.onerror = onError;
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

/** Reads the list page by page, so that one that never ends is left before it fills the memory. */
async function listOf(server: McpServer, client: Client, signal: AbortSignal): Promise<readonly ModelTool[]> {
  const listed: ModelTool[] = [];
  let characters = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const options = { timeout: limitsOf(server).requestMs, signal };
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, options);
    for (const { name, description = '', inputSchema } of tools) {
      const tool = { name, description, parameters: inputSchema };
      characters += JSON.stringify(tool).length;
      if (listed.length === maxTools || characters > maxListCharacters) throw replyTooLarge(server);
      listed.push(tool);
    }
    if (nextCursor === undefined) return listed;
    cursor = nextCursor;
  }
  throw replyTooLarge(server);
}

/** The error of a server that is a command, whose line is larger than a message may be. The SDK gives it no code. */
const isBufferOverflow = ({ message }: Error): boolean => message.includes('exceeded maximum size');

const replyTooLarge = (server: McpServer): NodeError =>
  new NodeError(
    'MCP_REPLY_TOO_LARGE',
    `The MCP server ${nameOf(server)} sent more than a reply may have: ${largestReply / 1024 / 1024} MiB, or ${maxTools} tools with ${maxListCharacters / 1024 / 1024} Mi characters in ${maxPages} pages.`,
  );

/** The URL is shown without its query, which may hold a key. */
const nameOf = (server: McpServer): string =>
  server.type === 'remote' ? `at ${server.url.replace(/[?#].*$/, '')}` : `started by \`${server.command}\``;

/** Returns the progress of a server: its own text, or else the numbers. */
const progressText = ({ message, progress, total }: Progress): string =>
  message ?? (total === undefined ? String(progress) : `${progress} of ${total}`);

function unreachable(server: McpServer, node: string, error: unknown): NodeError {
  const reason = error instanceof Error ? error.message : String(error);
  return new NodeError(
    'MCP_UNREACHABLE',
    `Agent "${node}" cannot get the tools of the MCP server ${nameOf(server)}: ${reason}. Check that it runs and answers within its timeout.`,
    { transient: true, cause: error },
  );
}
