import type { ProvidedRedis } from '@millrace/runtime';
import type { FoundRedis } from '@millrace/runtime/find-redis';
import type { Cli } from '../process/cli.ts';

/** Finds the Redis of this machine before the runtime is loaded, so that the command reports a missing one immediately. */
export async function findRedisOfMachine(cli: Cli): Promise<FoundRedis> {
  const { findRedis } = await import('@millrace/runtime/find-redis');
  const { directory, directoryOrigin, redisUrl } = await cli.config();
  const report = (line: string) => cli.terminal.say(line, 'dim');
  if (redisUrl === undefined && directoryOrigin === 'working directory') {
    report(`Data is kept in ${directory}, because it exists; MILLRACE_DIR names another directory.`);
  }
  const { installRedis } = await import('./install-redis.ts');
  return findRedis({ directory, report, install: installRedis, ...(redisUrl === undefined ? {} : { url: redisUrl }) });
}

/** Provides the Redis of this machine, which is started if it is not running, until it is released. */
export async function provideRedisOfMachine(cli: Cli): Promise<ProvidedRedis> {
  const found = await findRedisOfMachine(cli);
  const { provideRedis } = await import('@millrace/runtime');
  const { directory, redisUrl } = await cli.config();
  const report = (line: string) => cli.terminal.say(line, 'dim');
  return provideRedis({ directory, report, ...(redisUrl === undefined ? {} : { url: redisUrl }) }, found);
}
