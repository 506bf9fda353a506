import type { IncomingMessage, RequestOptions, ServerResponse } from 'node:http';
import { createServer, request } from 'node:http';
import { listen } from './listen.ts';

/** A load balancer in front of several servers. */
export interface Balancer {
  readonly url: string;
  close(): void;
}

/** Interval between two checks of a server, in milliseconds. */
const checkEveryMs = 200;

/**
 * Starts a load balancer as a reverse proxy: each request goes to the next server that was ready when it was checked last,
 * and to the one after it when that server refuses the connection. It says who has asked in `X-Forwarded-For`.
 */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const unready = new Set<string>();
  const check = async (target: string): Promise<void> => {
    const isReady = await fetch(`${target}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isReady) unready.delete(target);
    else unready.add(target);
  };
  const timer = setInterval(() => void Promise.all(targets.map(check)), checkEveryMs);
  let turn = 0;
  const nextTargets = (): readonly string[] => {
    const ready = targets.filter((target) => !unready.has(target));
    const first = turn++ % Math.max(1, ready.length);
    return [...ready.slice(first), ...ready.slice(0, first)];
  };
  const server = createServer((incoming, response) => pass(incoming, response, nextTargets()));
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
    },
  };
}

function pass(incoming: IncomingMessage, response: ServerResponse, [target, ...others]: readonly string[]): void {
  if (target === undefined) {
    response.writeHead(502).end();
    return;
  }
  const { method = 'GET', url = '/', headers, socket } = incoming;
  const { hostname, port, host } = new URL(target);
  const forwardedFor = [headers['x-forwarded-for'] ?? [], socket.remoteAddress ?? ''].flat().join(', ');
  const options: RequestOptions = {
    hostname,
    port,
    method,
    path: url,
    headers: { ...headers, host, 'x-forwarded-for': forwardedFor },
    agent: false,
  };
  const outgoing = request(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
    // A server that dies in the middle of a response breaks the connection of the client, too.
    answer.on('error', () => response.destroy());
    answer.on('aborted', () => response.destroy());
  });
  outgoing.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' && !response.headersSent) pass(incoming, response, others);
    else response.destroy();
  });
  response.on('close', () => outgoing.destroy());
  incoming.pipe(outgoing);
}
