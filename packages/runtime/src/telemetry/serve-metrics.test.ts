import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { serveMetrics } from './serve-metrics.ts';

it('says that metrics cannot be read, and goes on', async () => {
  const metrics = await createMetrics();
  let fails = true;
  const text = () => (fails ? Promise.reject(new Error('a gauge is broken')) : metrics.text());
  const server = await serveMetrics({ ...metrics, text }, { port: 0 });

  expect((await fetch(server.url)).status).toBe(500);
  fails = false;
  const again = await fetch(server.url);
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('process_cpu')]);
  server.close();
});
