import type { TestProject } from 'vitest/node';
import { installRedis } from '../../../packages/cli/src/client/install-redis.ts';
import { findServer, hasContainerEngine } from '../../../packages/runtime/src/adapters/redis-server/find-redis.ts';
import { startRedis } from './redis.ts';

/**
 * Before the first test that needs a Redis: a server program, installed if need be, because tests start, kill and
 * restart servers of their own. Where there is none, those run in containers. Starts the servers of the workers of Vitest, and returns
 * what stops them.
 */
export async function setup({ config, provide }: TestProject): Promise<() => Promise<unknown>> {
  await ensureProgram();
  const url = process.env['REDIS_URL'];
  const count = url === undefined ? config.maxWorkers : 0;
  const servers = await Promise.all(Array.from({ length: count }, () => startRedis()));
  provide('redisUrls', url === undefined ? servers.map((server) => server.url) : [url]);
  return () => Promise.all(servers.map((server) => server.stop()));
}

/** Installs a server program where there is none. */
export async function ensureProgram(): Promise<void> {
  const report = (line: string) => process.stderr.write(`${line}\n`);
  if ((await findServer(report)) !== undefined || (await installRedis(report))) return;
  if (!(await hasContainerEngine())) {
    throw new Error('The tests need a redis-server or valkey-server (6.2 or newer) on the PATH, or a running Docker.');
  }
  report('no server program on the PATH: Redis runs in containers, and the tests of the embedded server do not run');
}

/** Returns an exit code, and prints the sentence of an error. */
export async function main(): Promise<number> {
  try {
    await ensureProgram();
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  }
}
