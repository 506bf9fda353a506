import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Time that the proxy adds to each round trip, in milliseconds. */
export const farMs = 0.5;

const program = fileURLToPath(new URL('./delaying-proxy.js', import.meta.url));

/** A process that passes connections on to a Redis and holds everything that is sent to it back for {@link farMs}. */
export interface FarRedis {
  readonly url: string;
  close(): void;
}

/** Starts the process. */
export async function startFarRedis(redisUrl: string): Promise<FarRedis> {
  const child = fork(program, [redisUrl, String(farMs)]);
  const [port] = (await once(child, 'message')) as [number]; // its only message
  const url = new URL(redisUrl);
  url.host = `127.0.0.1:${port}`;
  return { url: url.href, close: () => child.disconnect() };
}
