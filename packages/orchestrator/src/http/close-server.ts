import type { Server } from './server.ts';

/** Prepares the end of a server: what it gives back finishes the requests that are under way, then closes it. */
export function closerOf(server: Server): () => Promise<void> {
  let underWay = 0;
  let drained: (() => void) | undefined;
  server.addHook('onRequest', async (_request, reply) => {
    underWay += 1;
    // Comes also when the client goes away in the middle.
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
    // A connection on which nothing was asked yet counts as busy, and would be waited for.
    server.server.closeAllConnections();
    await closed;
  };
}
