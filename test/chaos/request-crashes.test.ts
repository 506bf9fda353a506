import { describe, expect, it } from 'vitest';
import { crashAtEveryRequest, fates } from '../support/faults/request-crashes.ts';
import { openBeforeAll } from '../support/fixtures.ts';
import { startRedis } from '../support/redis/redis.ts';
import { chain } from '../support/runs/scenarios.ts';

const redis = openBeforeAll(startRedis);

describe.each(fates)('a process that dies when a request to Redis is %s', (fate) => {
  it('does not change the result of a chain, whichever request it is', async () => {
    expect(await crashAtEveryRequest(redis.url, chain, fate)).toBeGreaterThan(40);
  });
});
