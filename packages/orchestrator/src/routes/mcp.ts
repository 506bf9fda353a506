import { RequestError } from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from '../context/context.ts';
import type { RouteContext } from '../context/route-context.ts';
import { requestSignal } from '../http/request/request-signal.ts';
import type { Server } from '../http/server.ts';
import { createMcpServer } from '../mcp/mcp-server.ts';

/** Adds the Model Context Protocol over HTTP, for callers with a key; no state is kept between requests. */
export function addMcpRoutes(server: Server, api: RouteContext): void {
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    if (Array.isArray(request.body)) throw new RequestError('REQUEST_INVALID', oneAtATime);
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const signal = requestSignal(reply, api.closing);
    const { caller, log, trace } = request;
    const who = { tenant: caller.tenant, scopes: caller.scopes, caller: caller.identity, seed: undefined, trace };
    const context = (of: AbortSignal) => contextOf(api, { ...who, signalOf: () => of });
    // A logger of this request; the framework's type of it lacks some of its methods.
    const handler = createMcpHandler(
      () => createMcpServer({ contextFor: context, closing: signal, log: log as McpLog }),
      {
        onerror: (error) => log.info({ err: error }, 'a request of the Model Context Protocol was refused'),
      },
    );
    const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === 'string' ? [[name, value]] : [],
    );
    const asked = new Request(`http://localhost${request.url}`, { method: request.method, headers, signal });
    return reply.send(await handler.fetch(asked, { parsedBody: request.body }));
  };
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    server.route({
      method,
      url: '/mcp',
      config: { requiredScope: 'read', replay: 'never' },
      schema: { hide: true },
      handler: answer,
    });
  }
}

/** Limits count requests, and each of a list of messages could start a run. */
const oneAtATime = 'Send each message in a request of its own: lists of messages are no part of the protocol any more.';

type McpLog = Parameters<typeof createMcpServer>[0]['log'];
