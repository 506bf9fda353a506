import type { Outages } from '@millrace/runtime';
import type { Server } from '../server.ts';

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Answers requests with 503 during an outage of Redis, in place of letting them wait for its end: at once when the outage
 * is known, else about a second after it has begun. Reads go on while only writes are refused. Comes before all routes,
 * and before their callers are looked up.
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
        // A stream of events that has begun goes on after the outage.
        if (reply.raw.headersSent) return reply;
        // What is under way may still come to answer, and the framework would warn of that.
        reply.log = request.log.child({}, { level: 'error' });
        throw error;
      }
    };
  });
}
