import type { Server } from './server.ts';

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
