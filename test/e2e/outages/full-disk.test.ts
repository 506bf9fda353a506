import { describe, expect, it } from 'vitest';
import { openSmallDisk } from '../../support/faults/small-disk.ts';
import { ask } from '../../support/http/http.ts';
import { chainNodes, serveAndWork, untilStatus } from '../../support/http/serving.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { tellRedis } from '../../support/redis/tell-redis.ts';

/** Settings of Redis, and a command that makes it write to its disk. */
const ways: Readonly<Record<string, { settings: readonly string[]; write(url: string): Promise<unknown> }>> = {
  'its append-only file': { settings: [], write: (url) => tellRedis(url, 'SET', 'something', 'x'.repeat(10_000)) },
  'a snapshot': {
    settings: ['--appendonly', 'no', '--save', '3600 1000000'],
    write: (url) => tellRedis(url, 'BGSAVE'),
  },
};

// Each test has a Redis and processes of its own, and mostly waits.
describe.concurrent('a full disk, on which Redis cannot write', () => {
  it.for(Object.entries(ways))('%s, is an outage', async ([_what, { settings, write }], { onTestFinished, skip }) => {
    const disk = openSmallDisk();
    // A container cannot be given a disk like this one.
    if (disk === undefined) return skip('no disk can be mounted here');
    onTestFinished(() => disk.close());
    const redis = await startRedis([...settings, '--dir', disk.path]);
    onTestFinished(() => redis.stop());
    const { url } = redis;
    const api = await serveAndWork(url);
    onTestFinished(() => api.close());
    const run = await api.underWay();

    disk.fill();
    // It is refused if a run has met the full disk before.
    await write(url).catch(() => undefined);
    const ready = await untilStatus(503, () => ask(`${api.url}/readyz`));
    const refused = await api.start();
    const read = await ask(`${api.url}/v1/runs/${run}`);
    const command = await api.command('run', 'chain.yaml', '--input', 'Go.');
    disk.free();
    await tellRedis(url, 'BGSAVE').catch(() => undefined);
    const again = await untilStatus(201, api.start);
    const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);

    expect(ready.ms).toBeLessThan(10_000);
    expect(refused).toMatchObject({ status: 503, body: { code: 'REDIS_DISK' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(read.status).toBe(200);
    expect(command).toMatchObject({ code: 5, stderr: expect.stringContaining('[REDIS_DISK]') });
    expect(command.stderr).not.toMatch(/bug|^\s+at /m);
    expect(again.ms).toBeLessThan(10_000);
    expect(ended.body).toMatchObject({ status: 'completed', usage: { calls: chainNodes.length } });
    for (const { code, lines } of await api.end()) {
      expect(code).toBe(0);
      expect(lines.join('\n')).not.toMatch(/^\s+at |INTERNAL/m);
      expect(lines.length).toBeLessThan(20);
    }
  });
});

it.concurrent('detects within 15 seconds that Redis may evict keys, and refuses new runs as long as it may', async ({
  onTestFinished,
}) => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const { url } = redis;
  const api = await serveAndWork(url);
  onTestFinished(() => api.close());
  const run = await api.underWay();
  const policy = (name: string) => tellRedis(url, 'CONFIG', 'SET', 'maxmemory-policy', name);

  await policy('allkeys-lru');
  const since = performance.now();
  await api.say(/maxmemory-policy allkeys-lru.*REDIS_EVICTION/);
  const noticedMs = performance.now() - since;
  const refused = await api.start();
  const ready = await ask(`${api.url}/readyz`);
  const ended = await ask(`${api.url}/v1/runs/${run}?wait=30s`);
  await policy('noeviction');
  const again = await untilStatus(201, api.start);
  await api.say(/maxmemory-policy noeviction again/);

  expect(noticedMs).toBeLessThan(15_000);
  expect(refused).toMatchObject({ status: 503, body: { code: 'REDIS_EVICTION' } });
  expect(ready).toMatchObject({ status: 503, body: { code: 'REDIS_EVICTION' } });
  expect(ended.body).toMatchObject({ status: 'completed' });
  expect(again.ms).toBeLessThan(5000);
});
