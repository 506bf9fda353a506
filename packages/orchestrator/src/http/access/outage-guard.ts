import type { Outages } from '@millrace/runtime';
import type { Server } from '../server.ts';

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
