import { createHash } from 'node:crypto';
import { assertCount, assertFits, indentedJson, isFinalStatus } from '@millrace/catalog';
import type { Block, McpConnection, McpServer, ToolAnswer } from '@millrace/core';
import { CallLost, NodeError } from '@millrace/core';
import { realClock, sleep, version } from '@millrace/runtime';
import type { CallToolResult, Client, Progress } from '@modelcontextprotocol/client';
import type { WorkerContext } from '../context/worker-context.ts';
import type { McpBound } from './mcp-bound.ts';
import { createMcpBound, nameOf } from './mcp-bound.ts';
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

/**
 * Servers are reached when their first request is made, and again after a try that failed, after a connection that closed, and
 * after a session that the server does not know any more.
 */
export function mcpServers(
  { secret, workspaces }: Pick<WorkerContext, 'secret' | 'workspaces'>,
  {
    node,
    fetch,
    signal,
  }: { readonly node: string; readonly fetch: typeof globalThis.fetch; readonly signal: AbortSignal },
): McpServers {
  const opened: Promise<OpenClient>[] = [];
  return {
    connect(server) {
      const limits = limitsOf(server);
      const onHeaders = detectRefusal(fetch);
      let reached: Promise<OpenClient> | undefined;
      const reach = (): Promise<OpenClient> => {
        if (reached === undefined) {
          const bound = createMcpBound(server, node);
          const opening = open(server, { secret, workspaces, fetch: onHeaders.fetch, bound, signal });
          reached = opening;
          opened.push(opening);
          const forget = (): void => {
            // A server that has exceeded a limit is not listened to any more.
            if (reached === opening && !bound.signal.aborted) reached = undefined;
          };
          opening.then(({ client }) => {
            client.onclose = forget;
          }, forget);
        }
        return reached;
      };
      /** Makes a request; again over a new session, if the server has refused it because it knows the present one no more. */
      const request = async <T>(make: (opened: OpenClient) => Promise<T>): Promise<T> => {
        const opened = await reach();
        try {
          return await make(opened);
        } catch (error) {
          if (opened.client.transport?.sessionId === undefined || onHeaders.status !== 404) throw error;
          await opened.close();
          return make(await reach());
        }
      };
      return {
        tools: () =>
          listWithRetries(() => request((opened) => listMcpTools(opened, { timeoutMs: limits.requestMs, signal })), {
            signal,
            isFinal: onHeaders.isFinal,
            failure: (error) => unreachable(server, node, error),
          }),
        async call(name, args, callContext) {
          const onprogress = (progress: Progress) => callContext.emit(`${progressText(progress)}\n`);
          const asked = { name, arguments: { ...args }, _meta: { ...callContext.meta } };
          const called = await request(({ client, bound }) =>
            bound
              .within(callContext.signal, (within) =>
                client.callTool(asked, { timeout: limits.callMs, signal: within, onprogress }),
              )
              .catch((error: unknown) => {
                throw isRefused(error) || onHeaders.isFinal(error) ? error : lostCall(error);
              }),
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

/** The server has answered with an error, or no connection to it was made: the call took no effect that it does not tell. */
const isRefused = (error: unknown): boolean =>
  error instanceof NodeError ||
  (error instanceof Error && (error.name === 'ProtocolError' || refusesConnection(error.cause)));

const refusesConnection = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

const lostCall = (error: unknown): CallLost =>
  new CallLost(error instanceof Error ? error.message : String(error), { cause: error });

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
      await sleep(realClock, ms, signal);
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
interface OpenClient {
  readonly client: Client;
  readonly bound: McpBound;
  close(): Promise<void>;
}

async function open(server: McpServer, { signal, ...opening }: TransportOptions & Abortable): Promise<OpenClient> {
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

/**
 * Returns the result of a tool of an MCP server: its blocks, or else its structured content as JSON. Throws an Error for
 * the model when it is too large for it.
 */
function mcpAnswer({ content, structuredContent, isError }: CallToolResult): ToolAnswer {
  const answer = {
    content: contentOf(content, structuredContent),
    ...(isError === true ? { failed: true as const } : {}),
  };
  assertFits(answer.content);
  return answer;
}

function contentOf(content: CallToolResult['content'], structured: unknown): ToolAnswer['content'] {
  if (content.length === 0) return structured === undefined ? '' : indentedJson(structured);
  assertCount(content.length);
  const blocks = content.map(blockOf);
  const [first] = blocks;
  // One text is a text, as with functions.
  return blocks.length === 1 && first?.type === 'text' ? first.text : blocks;
}

type Content = CallToolResult['content'][number];

function blockOf(content: Content): Block {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
    case 'audio':
      return attached(content.type, { name: content.type, mimeType: content.mimeType, data: content.data });
    case 'resource_link':
      return {
        type: 'file',
        attachment: {
          id: content.uri,
          name: content.name,
          mimeType: content.mimeType ?? 'application/octet-stream',
          uri: content.uri,
        },
      };
    case 'resource': {
      const { resource } = content;
      if ('text' in resource) return { type: 'text', text: resource.text };
      const mimeType = resource.mimeType ?? 'application/octet-stream';
      return attached(kindOf(mimeType), { name: resource.uri, mimeType, data: resource.blob });
    }
  }
}

type Kind = 'image' | 'audio' | 'video' | 'file';

const kindOf = (mimeType: string): Kind => {
  const kind = mimeType.split('/')[0];
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'file';
};

function attached(type: Kind, { name, mimeType, data }: { name: string; mimeType: string; data: string }): Block {
  const bytes = Buffer.from(data, 'base64');
  const digest = createHash('sha256').update(bytes).digest('hex');
  const uri = `data:${mimeType};base64,${data}`;
  return { type, attachment: { id: digest.slice(0, 32), name, mimeType, size: bytes.length, digest, uri } };
}

/** Requests to a server, and the status of the last answer. */
interface RefusalDetector {
  readonly fetch: typeof fetch;
  /** Status of the answer to the last request; absent: none has come. */
  readonly status: number | undefined;
  /** Returns whether a server that failed with this error will fail again: it refused the request, or its command cannot be started. */
  isFinal(error: unknown): boolean;
}

/** Listens to how a server answers. The SDK's errors do not tell the status of every answer. */
function detectRefusal(fetch: typeof globalThis.fetch): RefusalDetector {
  let status: number | undefined;
  return {
    get status() {
      return status;
    },
    async fetch(input, init) {
      // Clients listen by a GET, which many servers refuse.
      const isRequest = init?.method === 'POST';
      if (isRequest) status = undefined;
      const response = await fetch(input, init);
      if (isRequest) ({ status } = response);
      return response;
    },
    isFinal: (error) => isUnstartable(error) || (status !== undefined && isFinalStatus(status)),
  };
}

const isUnstartable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOENT', 'EACCES', 'ENOTDIR'].includes(String(error.code));
