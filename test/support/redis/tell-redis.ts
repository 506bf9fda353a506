import { Redis } from 'ioredis';

/** Sends a Redis one command over a connection of its own. */
export async function tellRedis(url: string, command: string, ...args: readonly (string | number)[]): Promise<unknown> {
  const { protocol, pathname, hostname, port, password } = new URL(url);
  const once = { maxRetriesPerRequest: 0, retryStrategy: () => null, enableReadyCheck: false, password };
  const client =
    protocol === 'unix:' || protocol === 'redis+unix:'
      ? new Redis({ path: pathname, ...once })
      : new Redis(Number(port), hostname, once);
  client.on('error', () => undefined);
  try {
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}
