import type { Operation, OperatorContext } from '@millrace/api';
import { assertRedis, outputOf, problems } from '@millrace/api';
import { omitUndefined } from '@millrace/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf } from '../context/context.ts';
import type { RouteContext } from '../context/route-context.ts';
import { namesTag } from './content-reply.ts';
import { requestSignal } from './request/request-signal.ts';
import type { Server } from './server.ts';

/** Adds a route for each operation that shares no path. */
export function addOperations(server: Server, api: RouteContext, operations: readonly Operation[]): void {
  for (const operation of operations) {
    if (operation.sharesPath) continue;
    server.route({
      method: operation.method,
      url: operation.path,
      config: omitUndefined({ requiredScope: operation.scope, replay: operation.idempotency }),
      schema: schemaOf(operation),
      async handler(request, reply) {
        const context = contextFor(api, request, reply);
        if (operation.needs === 'redis') assertRedis(context);
        const {
          body,
          status = operation.status ?? 200,
          headers = {},
        } = await operation.run(context, inputOf(operation, request));
        reply.headers(headers);
        if (isUnchanged(operation, request, headers['etag'])) return reply.code(304).send(undefined as never);
        // The serializer checks the body by the schema of its status.
        return reply.code(status).send(body as never);
      },
    });
  }
}

/** Returns whether the caller has the current response already, by `If-None-Match`. */
const isUnchanged = ({ responses }: Operation, { headers }: FastifyRequest, tag: string | undefined): boolean =>
  responses?.[304] !== undefined && tag !== undefined && namesTag(headers['if-none-match'], tag);

function schemaOf(operation: Operation) {
  const { summary, description, params, query, headers, body, responses = {}, status = 200 } = operation;
  return omitUndefined({
    summary,
    description,
    params,
    querystring: query,
    headers,
    body,
    response: { [status]: outputOf(operation), ...responses, ...problems },
  });
}

/** Returns the parsed parts of a request as one flat object. */
function inputOf({ headers }: Operation, request: FastifyRequest): Record<string, unknown> {
  const wanted = headers === undefined ? [] : Object.keys(headers.shape);
  const named = Object.fromEntries(wanted.map((name) => [name, request.headers[name]]));
  // The schemas of the operation have checked that these are objects, or absent.
  return { ...named, ...(request.query as object), ...(request.params as object), ...(request.body as object | null) };
}

/** Returns the context of a request. */
export const contextFor = (
  api: RouteContext,
  { caller, seed, trace }: FastifyRequest,
  reply: FastifyReply,
): OperatorContext =>
  contextOf(api, {
    tenant: caller.tenant,
    scopes: caller.scopes,
    caller: caller.identity,
    seed,
    trace,
    signalOf: () => requestSignal(reply, api.closing),
  });
