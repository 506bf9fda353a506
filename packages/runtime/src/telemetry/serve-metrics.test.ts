import { request } from 'node:http';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';
import { serveMetrics } from './serve-metrics.ts';

it('reports that metrics cannot be read, and continues', async () => {
  const metrics = await createMetrics();
  let fails = true;
  const text = () => (fails ? Promise.reject(new Error('a gauge is broken')) : metrics.text());
  const server = await serveMetrics({ metrics: { ...metrics, text } }, { port: 0 });

  expect((await fetch(server.url)).status).toBe(500);
  fails = false;
  const again = await fetch(server.url);
  expect([again.status, await again.text()]).toEqual([200, expect.stringContaining('process_cpu')]);
  server.close();
});

/** The status of a request under another name; `fetch` has no way to say one. */
const statusUnder = (url: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });

it('answers only for local host names while it listens on loopback', async () => {
  const server = await serveMetrics({ metrics: await createMetrics() }, { port: 0 });
  const { port } = new URL(server.url);

  expect(await statusUnder(server.url, `localhost:${port}`)).toBe(200);
  expect(await statusUnder(server.url, `[::1]:${port}`)).toBe(200);
  expect(await statusUnder(server.url, `rebound.example:${port}`)).toBe(403);
  expect(await statusUnder(server.url.replace('/metrics', '/healthz'), `rebound.example:${port}`)).toBe(403);
  server.close();
});

it('answers for every host name where other machines may read the metrics', async () => {
  const server = await serveMetrics({ metrics: await createMetrics() }, { port: 0, host: '0.0.0.0' });
  const url = server.url.replace('0.0.0.0', '127.0.0.1');

  expect(await statusUnder(url, 'worker-7.example')).toBe(200);
  server.close();
});

it('is ready as long as the process can do its work', async () => {
  let failure: Error | undefined;
  const check = async () => {
    if (failure !== undefined) throw failure;
  };
  const server = await serveMetrics({ metrics: await createMetrics(), check }, { port: 0 });
  const ready = async () => {
    const response = await fetch(server.url.replace('/metrics', '/readyz'));
    return [response.status, await response.text()];
  };

  expect(await ready()).toEqual([200, 'ready\n']);
  failure = new Error('Redis cannot be reached.');
  expect(await ready()).toEqual([503, 'Redis cannot be reached.\n']);
  server.close();
});
