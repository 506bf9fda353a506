import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import { RequestError } from '@millrace/core';
import type { TracedRequest, Tracing } from '@millrace/runtime';
import type { FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import type { Logger } from 'pino';
import { refuseBrokenRequest } from './broken-request.ts';
import { describeInvalidJson } from './invalid-json.ts';
import { replyNotFound, replyWithProblem } from './problem.ts';
import { referenceDocument } from './reference-document.ts';
import type { TrustedProxies } from './request/trusted-proxies.ts';
import { trustProxyOption } from './request/trusted-proxies.ts';

/** Maximum size of a body, in bytes: a workflow may have 2 MiB, and is longer when escaped as JSON. */
const bodyLimit = 4 * 1024 * 1024;

/** Time in which a request must arrive to its end, in milliseconds: enough for a file of 32 MiB over a slow line. */
const arrivesWithinMs = 10 * 60_000;

/** Options of a server. */
interface ServerOptions {
  readonly log: Logger;
  readonly trustProxy: TrustedProxies;
  readonly tracing?: Tracing | undefined;
  /** Time in which a request must arrive to its end, in milliseconds. */
  readonly arrivesWithinMs?: number | undefined;
}

/** Returns a server without routes, with the properties of all of them. */
export async function createServer({ log, tracing, trustProxy, ...times }: ServerOptions): Promise<Server> {
  const requestTimeout = times.arrivesWithinMs ?? arrivesWithinMs;
  const server = Fastify({
    requestTimeout,
    http: {
      headersTimeout: Math.min(requestTimeout, 60_000),
      connectionsCheckingInterval: Math.min(requestTimeout, 30_000),
    },
    clientErrorHandler: refuseBrokenRequest,
    loggerInstance: log.child(
      {},
      {
        serializers: { req: loggedRequest },
        // At the level trace, packages log the headers of requests, which contain keys and cookies.
        redact: { paths: ['headers', '*.headers', '*.*.headers'], remove: true },
      },
    ),
    trustProxy: trustProxyOption(trustProxy),
    bodyLimit,
    genReqId: ({ headers }) => acceptableId(headers['x-request-id']) ?? randomUUID(),
    routerOptions: { maxParamLength: 256 },
    frameworkErrors: (error, request, reply) =>
      replyWithProblem(error, request, reply.header('x-request-id', request.id)),
  }).withTypeProvider<ZodTypeProvider>();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler<Error>(replyWithProblem);
  server.setNotFoundHandler(replyNotFound);
  server.removeContentTypeParser('text/plain');
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    parseJson(request, String(body), (error, value) =>
      done(isJsonError(error) ? new RequestError('REQUEST_INVALID', describeInvalidJson(String(body))) : error, value),
    ),
  );
  server.decorateRequest('trace', undefined);
  server.addHook('onRequest', async (request, reply) => {
    const { id, headers } = request;
    reply.header('x-request-id', id);
    const traced = begin(tracing, request);
    if (traced !== undefined) reply.raw.once('close', () => traced.end(reply.statusCode));
    const trace = traced?.traceparent ?? traceOf(headers);
    if (trace === undefined) return;
    request.trace = trace;
    reply.header('traceparent', trace);
  });
  // After the body was parsed, whatever its content type.
  server.addHook('preHandler', async ({ body }) => assertShallow(body));
  // Fastify would read a stream to its end in order to send nothing of it.
  server.addHook('onSend', async ({ method }, _reply, payload) => {
    if (method !== 'HEAD' || !(payload instanceof Readable)) return payload;
    payload.destroy();
    return Readable.from([]);
  });
  server.decorateRequest('caller');
  await server.register(swagger, referenceDocument);
  return server;
}

/**
 * Returns the facts of a request for the log. The address is not one of them, but the pattern of its route: people and programs
 * put keys into addresses by mistake, and ids of runs are facts of their own.
 */
const loggedRequest = ({ method, routeOptions, host, ip, socket }: FastifyRequest) => ({
  method,
  route: routeOptions.url,
  host,
  remoteAddress: ip,
  remotePort: socket.remotePort,
});

/** Starts the span of a request. Health checks are not traced. */
function begin(
  tracing: Tracing | undefined,
  { method, headers, routeOptions }: FastifyRequest,
): TracedRequest | undefined {
  const { url: route, config } = routeOptions;
  if (tracing === undefined || route === undefined || config.requiredScope === 'nobody') return undefined;
  return tracing.request({ method, route, traceparent: traceOf(headers) });
}

declare module 'fastify' {
  interface FastifyRequest {
    /** W3C `traceparent` for runs of the request: that of its span, or the one in its header. */
    trace?: string;
  }
}

/** The server as its routes use it. */
export type Server = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, ZodTypeProvider>;

function acceptableId(given: string | string[] | undefined): string | undefined {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : undefined;
}

/**
 * Prepares the end of a server: the returned function finishes the requests that are under way, then closes the server.
 */
export function closerOf(server: Server): () => Promise<void> {
  let underWay = 0;
  let drained: (() => void) | undefined;
  server.addHook('onRequest', async (_request, reply) => {
    underWay += 1;
    // Also emitted when the client disconnects in the middle.
    reply.raw.once('close', () => {
      underWay -= 1;
      if (underWay === 0) drained?.();
    });
  });
  return async () => {
    const closed = server.close();
    await new Promise<void>((resolve) => {
      drained = resolve;
      if (underWay === 0) resolve();
    });
    // A connection without a request counts as busy, and closing would wait for it.
    server.server.closeAllConnections();
    await closed;
  };
}

/** Tests if a body could not be parsed; an empty one has an error of its own. */
const isJsonError = (error: Error | null): boolean =>
  error !== null && (!('code' in error) || error.code === 'FST_ERR_CTP_INVALID_JSON_BODY');

/** Maximum depth of a body: far beyond real requests, and far below what JSON can serialise. */
const deepest = 500;

/** Throws RequestError for a body whose lists and objects are nested too deeply. */
function assertShallow(body: unknown): void {
  if (!isDeeper(body, deepest)) return;
  throw new RequestError('REQUEST_INVALID', `The body nests lists and objects more than ${deepest} levels deep.`);
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

const form = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the W3C `traceparent` of a request; undefined if it has none, or an invalid one. */
const traceOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined => {
  const given = headers['traceparent'];
  return typeof given === 'string' && form.test(given) ? given : undefined;
};
