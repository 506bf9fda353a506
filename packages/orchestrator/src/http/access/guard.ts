import { assertScope } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { Outages } from '@millrace/runtime';
import type { FastifyRequest, RouteOptions } from 'fastify';
import { replyNotFound } from '../problem.ts';
import type { Server } from '../server.ts';
import type { Authenticator, RouteScope } from './authenticator.ts';
import type { CountUnauthenticated } from './http-limits.ts';

/** One route and the scope that it requires. */
export interface GuardedRoute {
  readonly method: string;
  readonly url: string;
  readonly requiredScope: RouteScope;
}

/**
 * Refuses requests of callers without the scope that the route requires. A server with a route that declares no
 * required scope does not start. Returns the routes; the list is complete when the server is ready.
 */
export function guard(
  server: Server,
  authenticator: Authenticator,
  countUnauthenticated: CountUnauthenticated,
): readonly GuardedRoute[] {
  const routes: GuardedRoute[] = [];
  const undeclared: string[] = [];
  const added: RouteOptions[] = [];
  // The declaration of the part that a route belongs to is available only later.
  server.addHook('onRoute', (route) => void added.push(route));
  server.addHook('onReady', async () => {
    for (const { method, url, config } of added) {
      for (const one of [method].flat()) {
        if (config?.requiredScope === undefined) undeclared.push(`${one} ${url}`);
        else routes.push({ method: one, url, requiredScope: config.requiredScope });
      }
    }
    if (undeclared.length > 0) throw new Error(`These routes declare no required scope: ${undeclared.join(', ')}.`);
  });
  server.addHook('onRequest', async (request, reply) => {
    const { requiredScope, browser } = request.routeOptions.config;
    // Answered before its body is read: nobody is known who sent it.
    if (request.is404) return replyNotFound(request, reply);
    if (requiredScope === 'nobody') return;
    if (requiredScope === undefined) throw new Error(`Route ${request.url} declares no required scope.`);
    const { authorization } = request.headers;
    const shown = browser === true ? asBearer(authorization) : authorization;
    const caller = await authenticator.callerOf(shown, request).catch(async (error: unknown) => {
      if (error instanceof RequestError && unauthenticatedCodes.has(error.code))
        await countUnauthenticated(request, reply);
      throw error;
    });
    assertScope({ scopes: caller.scopes, tenant: caller.tenant }, requiredScope);
    request.caller = caller;
    const trace = request.trace === undefined ? {} : { trace_id: request.trace.split('-')[1] };
    request.log = reply.log = request.log.child({
      ...trace,
      tenant: caller.tenant.tenant,
      caller: caller.name,
      ...runIn(request),
    });
  });
  return routes;
}

/** Codes of refusals of callers that are not authenticated. */
const unauthenticatedCodes: ReadonlySet<string> = new Set([
  'KEY_MISSING',
  'KEY_INVALID',
  'TOKEN_INVALID',
  'SESSION_ENDED',
]);

/** Returns the password of HTTP Basic as a bearer token. */
function asBearer(authorization: string | undefined): string | undefined {
  const [, pair] = /^basic +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (pair === undefined) return authorization;
  return `Bearer ${Buffer.from(pair, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')}`;
}

/** Returns the run of a request, by the id that its tenant knows. */
function runIn({ routeOptions, params }: FastifyRequest): { run?: string } {
  const { id } = params as { id?: string }; // as the router found it in the address
  return id !== undefined && routeOptions.url?.startsWith('/v1/runs/:id') === true ? { run: id } : {};
}

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Answers requests with 503 during an outage of Redis, instead of letting them wait for its end: at once if the outage
 * is known, else about a second after its start. Reads continue while only writes are refused. Registered before all
 * routes and before callers are authenticated.
 */
export function guardAgainstOutages(server: Server, outages: Outages): void {
  const needsOf = (method: string) => (readingMethods.has(method) ? 'reads' : 'writes');
  server.addHook('onRequest', async ({ is404, method, routeOptions }) => {
    if (is404 || routeOptions.config.requiredScope === 'nobody') return;
    await outages.bounded(needsOf(method), async () => undefined);
  });
  server.addHook('onRoute', (route) => {
    if (route.config?.requiredScope === 'nobody') return;
    const { handler } = route;
    route.handler = async function bounded(request, reply) {
      const work = async (): Promise<unknown> => handler.call(this, request, reply);
      try {
        return await outages.bounded(needsOf(request.method), work);
      } catch (error) {
        // A stream of events that has started continues after the outage.
        if (reply.raw.headersSent) return reply;
        // A handler under way may still reply, of which the framework would warn.
        reply.log = request.log.child({}, { level: 'error' });
        throw error;
      }
    };
  });
}
