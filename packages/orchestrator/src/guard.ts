import { RequestError } from '@millrace/core';
import type { Scope } from '@millrace/runtime';
import type { Admission } from './admission.ts';
import type { Caller, Demand } from './caller.ts';
import type { Server } from './server.ts';

/** One route and what it demands. */
export interface GuardedRoute {
  readonly method: string;
  readonly url: string;
  readonly demand: Demand;
}

/**
 * Lets no request through to a route that demands more than its caller may. A server with a route that does not say
 * what it demands does not start. Gives the routes, complete once the server is ready.
 */
export function guard(server: Server, admission: Admission): readonly GuardedRoute[] {
  const routes: GuardedRoute[] = [];
  const silent: string[] = [];
  server.addHook('onRoute', ({ method, url, config }) => {
    for (const one of [method].flat()) {
      if (config?.demand === undefined) silent.push(`${one} ${url}`);
      else routes.push({ method: one, url, demand: config.demand });
    }
  });
  server.addHook('onReady', async () => {
    if (silent.length > 0) throw new Error(`It is not said who may use ${silent.join(', ')}.`);
  });
  server.addHook('onRequest', async (request) => {
    const { demand } = request.routeOptions.config;
    if (request.is404 || demand === 'nobody') return;
    if (demand === undefined) throw new Error(`It is not said who may use ${request.url}.`);
    const { authorization, host, origin } = request.headers;
    const caller = await admission.callerOf({ authorization, host, origin });
    assertScope(caller, demand);
    request.caller = caller;
  });
  return routes;
}

function assertScope({ scopes }: Caller, demand: Exclude<Demand, 'nobody'>): void {
  const enough: readonly Scope[] = ['admin', ...(typeof demand === 'string' ? [demand] : demand)];
  if (scopes.some((scope) => enough.includes(scope))) return;
  const wanted = enough.slice(1).map((scope) => `"${scope}"`);
  throw new RequestError(
    'SCOPE_MISSING',
    `This needs a key with the scope ${wanted.join(' or ')}; yours has ${scopes.join(', ')}.`,
  );
}
