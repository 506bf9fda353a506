import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../http/listen.ts';

/** A JSON-RPC request that a server has received. */
export interface McpRequest {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** An MCP server over HTTP that answers one method as a test says, and all others as a good server with one tool. */
export interface HostileMcp {
  readonly url: string;
  /** Messages of the client, in their order. */
  readonly received: readonly McpRequest[];
  close(): Promise<void>;
}

/** Answers a request. */
export type HostileAnswer = (response: ServerResponse, request: McpRequest) => Promise<void> | void;

const results: Readonly<Record<string, unknown>> = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'hostile', version: '1' },
  },
  'tools/list': { tools: [{ name: 'look', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'seen' }] },
};

/** Starts a server whose answers to `method` are those of `answer`. */
export async function startHostileMcp(method: string, answer: HostileAnswer): Promise<HostileMcp> {
  const received: McpRequest[] = [];
  const server = createServer(async (request, response) => {
    response.on('error', () => undefined);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const asked = JSON.parse(await text(request)) as McpRequest; // of the SDK's client
    received.push(asked);
    if (asked.method === method) return void (await answer(response, asked));
    if (asked.id === undefined || asked.method === undefined) return void response.writeHead(202).end();
    response.writeHead(200, json).end(resultOf(asked, results[asked.method]));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Headers of an answer in JSON. */
export const json = { 'content-type': 'application/json' };
/** Headers of a stream of server-sent events. */
export const events = { 'content-type': 'text/event-stream' };

/** Returns the answer to a request, as JSON. */
export const resultOf = ({ id }: McpRequest, result: unknown): string => JSON.stringify({ jsonrpc: '2.0', id, result });
