import { describe, expect, it } from 'vitest';
import { crashAtEveryRequest, fates } from '../support/faults/request-crashes.ts';
import { openBeforeAll } from '../support/fixtures.ts';
import { startRedis } from '../support/redis/redis.ts';
import { branches, cycle, human, map, stopped, tree } from '../support/runs/scenarios.ts';

const redis = openBeforeAll(startRedis);

describe.each(fates)('a process that dies when a request to Redis is %s', (fate) => {
  it.each([branches, cycle, human, map, stopped, tree])(
    'does not change the result of $name, whichever request it is',
    async (scenario) => {
      expect(await crashAtEveryRequest(redis.url, scenario, fate)).toBeGreaterThan(40);
    },
  );
});
