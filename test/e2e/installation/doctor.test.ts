import { fileURLToPath } from 'node:url';
import type { Finding } from '@millrace/runtime';
import { afterEach, expect, it } from 'vitest';
import { command } from '../../support/processes/command.ts';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';
import { startRedisCluster } from '../../support/redis/redis-cluster.ts';
import { startWatchedRedis } from '../../support/redis/redis-sentinels.ts';

const example = fileURLToPath(new URL('../../../examples/voting.yaml', import.meta.url));
let redis: RedisServer | undefined;
afterEach(async () => {
  await redis?.stop();
  redis = undefined;
});

async function examine(settings: readonly string[], env: Readonly<Record<string, string>> = {}) {
  redis = await startRedis(settings);
  const { code, stdout } = await command(['doctor', '--json'], { REDIS_URL: redis.url, ...env });
  const findings: readonly Finding[] = JSON.parse(stdout);
  return { code, of: (subject: string) => findings.find((finding) => finding.subject === subject) };
}

it('reports no problem of a sound installation, and what a power loss may cost', async () => {
  const { code, of } = await examine([]);

  expect(code).toBe(0);
  expect(of('Redis')).toMatchObject({ level: 'good', message: expect.stringMatching(/^[\d.]+ answers/) });
  expect(of('persistence')).toMatchObject({ level: 'good', message: expect.stringContaining('last two seconds') });
  expect(of('clock')?.level).toBe('good');
  expect(of('Node.js')?.level).toBe('good');
  expect(of('Python')?.message).toMatch(/Python 3|there is no python3/);
  expect(of('functions')?.level).toBe('good');
  expect(of('agenda')?.message).toBe('empty; no process holds its lease');
});

it('reports that a crash loses runs without an append-only file', async () => {
  const { code, of } = await examine(['--appendonly', 'no']);

  expect(code).toBe(0);
  expect(of('persistence')).toMatchObject({ level: 'weak', cure: expect.stringContaining('appendonly yes') });
});

it('ends with 1 where Redis may evict runs, and where files cannot be stored', async () => {
  // No user can make a directory below a file.
  const env = { MILLRACE_BLOBS: 'dir:package.json/blobs', MILLRACE_ARCHIVE: 'package.json/archive' };
  const { code, of } = await examine(['--maxmemory-policy', 'allkeys-lru'], env);

  expect(code).toBe(1);
  expect(of('Redis')).toMatchObject({ level: 'bad', cure: expect.stringContaining('noeviction') });
  expect(of('blobs')).toMatchObject({ level: 'bad', message: expect.stringContaining('journals stay in Redis') });
  expect(of('archive')).toMatchObject({ level: 'bad', message: expect.stringContaining('cannot be written to') });
});

it('ends with 1 where Redis is nearly full, and no run can start', async () => {
  const { code, of } = await examine(['--maxmemory', '1mb']);

  expect(code).toBe(1);
  expect(of('memory')).toMatchObject({ level: 'bad', message: expect.stringContaining('of 1.0 MB') });
  const run = await command(['run', example, '--input', 'x', '--json'], { REDIS_URL: redis?.url ?? '' });
  expect(run).toMatchObject({ code: 5, stderr: expect.stringContaining('[REDIS_FULL]') });
});

it.each([
  ['behind sentinels', async () => startWatchedRedis({ replicas: 1, sentinels: 3, settings: ['--appendonly', 'yes'] })],
  ['in a cluster', async () => startRedisCluster({ settings: ['--appendonly', 'yes'] })],
])('examines a Redis %s', async (_where, start) => {
  const several = await start();
  try {
    const { code, stdout } = await command(['doctor'], { REDIS_URL: several.url });

    expect(code).toBe(0);
    expect(stdout).toMatch(/^✔ Redis +[\d.]+ answers; maxmemory-policy noeviction$/m);
    expect(stdout).toMatch(/^✔ persistence +append-only file/m);
  } finally {
    await several.stop();
  }
});

it('explains how to reach a Redis that does not answer', async () => {
  const { code, stdout } = await command(['doctor'], { REDIS_URL: 'redis://127.0.0.1:1' });

  expect(code).toBe(1);
  expect(stdout).toMatch(/✖ Redis .*\n\s+→ Start it, or set REDIS_URL/);
});
