import { once } from 'node:events';
import { createServer } from 'node:net';
import { RedisContainer } from '@testcontainers/redis';
import { getContainerRuntimeClient } from 'testcontainers';

/** Starts a Redis in a container, for machines without a server program. */
export async function startRedisContainer(settings: readonly string[] = []) {
  // A port of the engine's choice would be another one after a restart.
  const port = await freePort();
  const container = await new RedisContainer('redis:7-alpine')
    .withExposedPorts({ container: 6379, host: port })
    .withCommand(['redis-server', '--save', '', '--appendonly', 'yes', ...settings])
    .start();
  return {
    url: `redis://${container.getHost()}:${port}`,
    async kill() {
      const client = await getContainerRuntimeClient();
      await client.container.getById(container.getId()).kill();
    },
    async restart() {
      await container.restart();
    },
    async stop() {
      await container.stop();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.');
  return address.port;
}
