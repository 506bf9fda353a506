import type { RedisOptions } from 'ioredis';
import { Redis } from 'ioredis';

/** State of a server: `loading` while it reads its data from disk, `absent` when nothing answers. */
export type ServerState = 'ready' | 'loading' | 'absent';

/** Sends one request for the state of the server. */
export async function probe(url: string): Promise<ServerState> {
  const client = connectOnce(url, { commandTimeout: silentAfterMs });
  try {
    await client.connect();
    await client.ping();
    return 'ready';
  } catch (error) {
    return error instanceof Error && error.message.startsWith('LOADING') ? 'loading' : 'absent';
  } finally {
    client.disconnect();
  }
}

/** Makes the server save its data and exit; returns when it no longer answers. */
export async function shutDown(url: string): Promise<void> {
  const client = connectOnce(url);
  try {
    await client.connect();
    await client.shutdown();
  } catch (error) {
    // A server that obeys does not reply: it closes the connection.
    if ((await probe(url)) !== 'absent') throw error;
  } finally {
    client.disconnect();
  }
}

/** Another program that listens on the port of a server may never answer. In milliseconds. */
const silentAfterMs = 3000;

function connectOnce(url: string, options: Pick<RedisOptions, 'commandTimeout'> = {}): Redis {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: null,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2000,
    ...options,
  });
  // Without a listener a refused connection is printed; the awaited calls report it as well.
  client.on('error', () => undefined);
  return client;
}
