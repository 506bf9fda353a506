import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

it('reports that Redis does not answer, and none of the numbers that Redis holds', async () => {
  const refuse = () => Promise.reject(new Error('Redis does not answer.'));
  const queueAdmin = new Proxy({} as never, { get: () => refuse });
  const metrics = await createMetrics({ gauges: refuse, queueAdmin });

  const text = await metrics.text();

  expect(text).toContain('millrace_redis_up 0');
  expect(text).not.toMatch(/^millrace_(?:queue|agenda|shard|ended|redis_memory)/m);
});
