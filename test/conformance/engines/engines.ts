import { ensureProgram } from '../../support/redis/ensure-redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import type { Engine } from './engine.ts';
import { openMillrace } from './millrace-engine.ts';
import { openReference } from './reference-engine.ts';

/** Everything that cases can run on. */
export const engineNames = ['memory', 'redis', 'reference'] as const;

/** The engine of that name, ready to run cases; undefined when there is none. */
export async function openEngine(name: string): Promise<Engine | undefined> {
  switch (name) {
    case 'memory':
      return openMillrace(name, { local: true });
    case 'redis':
      return openOnRedis();
    case 'reference':
      return openReference();
    default:
      return undefined;
  }
}

/** On a Redis of its own, which is gone afterwards. */
async function openOnRedis(): Promise<Engine> {
  await ensureProgram();
  const redis = await startRedis();
  const engine = await openMillrace('redis', { redisUrl: redis.url });
  return {
    ...engine,
    async close() {
      await engine.close();
      await redis.stop();
    },
  };
}
