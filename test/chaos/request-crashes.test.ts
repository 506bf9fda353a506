import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crashAtEveryRequest, fates } from '../support/faults/request-crashes.ts';
import type { RedisServer } from '../support/redis/redis.ts';
import { startRedis } from '../support/redis/redis.ts';
import { chain } from '../support/runs/scenarios.ts';

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.stop());

describe.each(fates)('a process that dies when a request to Redis is %s', (fate) => {
  it('does not change the result of a chain, whichever request it is', async () => {
    expect(await crashAtEveryRequest(redis.url, chain, fate)).toBeGreaterThan(40);
  });
});
