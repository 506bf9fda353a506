import { randomUUID } from 'node:crypto';
import { RedisContainer } from '@testcontainers/redis';
import { getContainerRuntimeClient } from 'testcontainers';
import { freePort } from './free-port.ts';

/** Starts a Redis in a container, for machines without a server program. */
export async function startRedisContainer(settings: readonly string[] = []) {
  // A port of the engine's choice would be another one after a restart.
  const port = await freePort();
  const password = randomUUID();
  const control = async () => (await getContainerRuntimeClient()).container.getById(container.getId());
  const container = await new RedisContainer('redis:7-alpine')
    .withExposedPorts({ container: 6379, host: port })
    .withCommand(['redis-server', '--save', '', '--appendonly', 'yes', '--requirepass', password, ...settings])
    .start();
  return {
    url: `redis://default:${password}@${container.getHost()}:${port}`,
    async kill() {
      await (await control()).kill();
    },
    async restart() {
      await container.restart();
    },
    async freeze() {
      await (await control()).pause();
    },
    async thaw() {
      await (await control()).unpause();
    },
    async stop() {
      await container.stop();
    },
  };
}
