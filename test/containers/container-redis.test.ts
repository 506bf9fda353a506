import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { useContainerServer } from '../../packages/runtime/src/adapters/redis-server/container-server.ts';
import { runProgram } from '../../packages/runtime/src/adapters/redis-server/find-redis.ts';
import type { ServerHome } from '../../packages/runtime/src/adapters/redis-server/server-home.ts';
import { serverHome } from '../../packages/runtime/src/adapters/redis-server/server-home.ts';
import { directoryBeforeEach } from '../support/fixtures.ts';
import { startRedisContainer } from '../support/redis/redis-container.ts';

async function withClient<T>(url: string, use: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url);
  client.on('error', () => undefined);
  try {
    return await use(client);
  } finally {
    client.disconnect();
  }
}

describe('the Redis in a container', () => {
  const directory = directoryBeforeEach();
  let home: ServerHome;

  beforeEach(() => {
    home = serverHome(directory);
  });

  afterEach(async () => {
    await runProgram('docker', ['rm', '--force', `millrace-${home.key}`], 30_000);
    await runProgram('docker', ['volume', 'rm', `millrace-${home.key}`], 30_000);
  });

  it('is shared, and stopped by its last user', async () => {
    const first = await useContainerServer(home);
    const second = await useContainerServer(home);
    expect(second).toMatchObject({ url: first.url, started: false });
    expect(first.usedByOthers()).toBe(true);
    await first.release();
    expect(await withClient(second.url, (client) => client.ping())).toBe('PONG');
    await second.release();
    expect(await runProgram('docker', ['ps', '--quiet', '--filter', `name=millrace-${home.key}`], 30_000)).toEqual({
      type: 'done',
      output: '',
    });
  });

  it('listens on loopback only, evicts nothing, and keeps its data across a stop', async () => {
    const first = await useContainerServer(home);
    expect(first.url).toMatch(/^redis:\/\/default:[0-9a-f]{64}@127\.0\.0\.1:\d+$/);
    expect(await withClient(first.url, (client) => client.config('GET', 'maxmemory-policy'))).toContain('noeviction');
    await withClient(first.url, (client) => client.set('kept', 'yes'));
    await first.release();
    const second = await useContainerServer(home);
    expect(await withClient(second.url, (client) => client.get('kept'))).toBe('yes');
    await second.release();
  });
});

describe('the Redis of the tests, in a container', () => {
  it('restarts at its address with what was written before it was killed', async () => {
    const server = await startRedisContainer();
    await withClient(server.url, async (client) => {
      await client.config('SET', 'appendfsync', 'always');
      await client.set('kept', 'yes');
    });
    await server.kill();
    await server.restart();
    expect(await withClient(server.url, (client) => client.get('kept'))).toBe('yes');
    await server.stop();
  });
});
