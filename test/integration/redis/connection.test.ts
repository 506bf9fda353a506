import { assertRedis, connect } from '@millrace/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import type { RedisServer } from '../../support/redis/redis.ts';
import { startRedis } from '../../support/redis/redis.ts';

describe('assertRedis', () => {
  let server: RedisServer | undefined;
  afterEach(() => server?.stop());

  const assess = async (...settings: string[]) => {
    server = await startRedis(settings);
    const connection = connect(server.url, 'test');
    try {
      return await assertRedis(connection);
    } finally {
      connection.disconnect();
    }
  };

  it('reports nothing for a Redis that syncs every write', async () => {
    const findings = await assess('--appendfsync', 'always');

    expect(findings).toMatchObject({ aof: true, appendfsync: 'always', policy: 'noeviction', warnings: [] });
    expect(findings.version).toMatch(/^\d+\.\d+/);
  });

  it('reports what a power loss may cost', async () => {
    expect((await assess()).warnings).toEqual([expect.stringContaining('everysec')]);
  });

  it('warns without an append-only file', async () => {
    const { aof, warnings } = await assess('--appendonly', 'no');

    expect(aof).toBe(false);
    expect(warnings).toEqual([expect.stringContaining('append-only')]);
  });

  it('refuses a Redis that may evict keys', async () => {
    await expect(assess('--maxmemory-policy', 'allkeys-lru')).rejects.toMatchObject({ code: 'REDIS_EVICTION' });
  });

  it('works without the settings that a server does not disclose', async () => {
    const findings = await assess('--rename-command', 'CONFIG', '');

    expect(findings).toMatchObject({ policy: 'noeviction', appendfsync: 'unknown' });
    expect(findings.warnings).toEqual([expect.stringContaining('appendfsync')]);
  });

  it('gives up on a Redis that cannot be reached', async () => {
    const connection = connect('unix:///nowhere/redis.sock', 'test');

    await expect(assertRedis(connection, { timeoutMs: 200 })).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });

    connection.disconnect();
  });
});

describe('connect', () => {
  it('refuses a URL of another kind', () => {
    expect(() => connect('localhost', 'test')).toThrow(expect.objectContaining({ code: 'REDIS_URL' }));
    expect(() => connect('http://localhost', 'test')).toThrow(expect.objectContaining({ code: 'REDIS_URL' }));
  });

  it('accepts credentials and a database for a socket', () => {
    const connection = connect('redis+unix://user:p%40ss@localhost/tmp/a%20b.sock?db=3', 'test');
    connection.disconnect();

    expect(connection.options).toMatchObject({
      path: '/tmp/a b.sock',
      username: 'user',
      password: 'p@ss',
      db: 3,
      maxRetriesPerRequest: null,
    });
  });
});
