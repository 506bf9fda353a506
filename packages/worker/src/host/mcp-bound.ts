import { linkedController } from '@millrace/catalog';
import type { McpServer, MessageLimits } from '@millrace/core';
import { boundedResponse, describeExceeded, NodeError } from '@millrace/core';
import type { Transport } from '@modelcontextprotocol/client';

const mebibyte = 1024 * 1024;

/** Limits of one message of a server: those of a model's reply, but for the values, of which no server needs as many. */
const messageLimits: MessageLimits = { bytes: 16 * mebibyte, values: 100_000, depth: 100 };

/** Limits of a stream of messages: of one response over HTTP, or of what a local server prints after one request. */
export const streamLimits: MessageLimits = { ...messageLimits, streamBytes: 128 * mebibyte, messages: 50_000 };

/** Limits of the list of tools of one server; each call of the model contains the whole list. */
export const toolListLimits = { tools: 1000, characters: 1_000_000, pages: 100 } as const;

/** Maximum number of requests of a server, such as pings, that are being answered at a time. */
const mostRequests = 100;

/** Limits of what one connection to a server receives. A server that exceeds one is not listened to any more. */
export interface McpBound {
  /** Aborted when a limit is exceeded. */
  readonly signal: AbortSignal;
  /** Ends the connection; returns its error. `how` continues after "The MCP server …". */
  exceed(how: string): NodeError;
  /** Makes a request, which fails with the error of the limit that the server has exceeded meanwhile, if any. */
  within<T>(signal: AbortSignal, request: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Returns the bound of a new connection of a node to a server. */
export function createMcpBound(server: McpServer, node: string): McpBound {
  const controller = new AbortController();
  let exceeded: NodeError | undefined;
  return {
    signal: controller.signal,
    exceed(how) {
      exceeded ??= new NodeError(
        'MCP_REPLY_TOO_LARGE',
        `The MCP server ${nameOf(server)}, which agent "${node}" uses, ${how}. Have it return less, or remove it from \`tooling\`.`,
      );
      controller.abort(exceeded);
      return exceeded;
    },
    async within(signal, request) {
      const linked = linkedController(signal, controller.signal);
      try {
        return await request(linked.signal);
      } catch (error) {
        throw exceeded ?? error;
      } finally {
        linked.unlink();
      }
    },
  };
}

/** Returns what names a server in messages; the URL without its query, which may contain a key. */
export const nameOf = (server: McpServer): string =>
  server.type === 'remote' ? `at ${server.url.replace(/[?#].*$/, '')}` : `started by \`${server.command}\``;

/** Returns the end of a sentence about a server whose message exceeds a limit. */
export const sends = (limit: Parameters<typeof describeExceeded>[0]): string =>
  `sends a reply that ${describeExceeded(limit, streamLimits)}`;

/** Returns a `fetch` whose responses are read up to the limits. */
export const boundedMcpFetch =
  (fetch: typeof globalThis.fetch, bound: McpBound): typeof globalThis.fetch =>
  async (input, init) =>
    boundedResponse(await fetch(input, init), {
      body: messageLimits,
      events: streamLimits,
      refuse: (limit) => bound.exceed(sends(limit)),
    });

/** Limits the requests of the server that are being answered: each of them is a request of ours, or waits for its input. */
export function boundRequests(transport: Transport, bound: McpBound): void {
  const send = transport.send.bind(transport);
  let answering = 0;
  transport.send = async (message, options) => {
    if ('method' in message) return send(message, options);
    if (answering >= mostRequests) throw bound.exceed(`sends more than ${mostRequests} requests at a time`);
    answering++;
    try {
      await send(message, options);
    } finally {
      answering--;
    }
  };
}
