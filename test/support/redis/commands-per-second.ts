import { setTimeout as pass } from 'node:timers/promises';
import type { Redis } from 'ioredis';

/** Counts the commands that Redis executes in a time, those inside of scripts included. */
export async function commandsPerSecond(connection: Redis, windowMs: number): Promise<number> {
  const before = await executed(connection);
  const startedAt = performance.now();
  await pass(windowMs);
  return ((await executed(connection)) - before) / ((performance.now() - startedAt) / 1000);
}

async function executed(connection: Redis): Promise<number> {
  return Number(/^total_commands_processed:(\d+)/m.exec(await connection.info('stats'))?.[1]);
}
