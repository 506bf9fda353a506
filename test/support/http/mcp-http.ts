import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { McpServer } from '@modelcontextprotocol/server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listen } from './listen.ts';

/** An MCP server over HTTP on this machine. */
export interface McpHttpServer {
  readonly url: string;
  /** Resolves when a further call of a tool has come in. */
  begun(): Promise<unknown>;
  close(): Promise<void>;
}

/**
 * Serves an MCP server over HTTP; `onRequest` is told the headers of each request. With a session, only that one is known: the
 * server begins it with the first request of a client, and answers all others with 404.
 */
export async function serveMcp(
  create: () => McpServer,
  onRequest: (headers: NodeJS.Dict<string | string[]>) => void = () => undefined,
  session?: { readonly id: string },
): Promise<McpHttpServer> {
  const calls = new EventEmitter();
  const handler = createMcpHandler(create);
  const http = createServer(async (request, response) => {
    onRequest(request.headers);
    const body = request.method === 'POST' ? await text(request) : undefined;
    if (body?.includes('"tools/call"')) calls.emit('call');
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const asked = { method: request.method ?? 'GET', headers, ...(body === undefined ? {} : { body }) };
    const begins = body?.includes('"initialize"') === true;
    if (session !== undefined && !begins && request.headers['mcp-session-id'] !== session.id)
      return void response.writeHead(404).end();
    const answer = await handler.fetch(new Request(`http://localhost${request.url}`, asked));
    const begun = session !== undefined && begins ? { 'mcp-session-id': session.id } : {};
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...begun });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const port = await listen(http);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    begun: () => once(calls, 'call'),
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
