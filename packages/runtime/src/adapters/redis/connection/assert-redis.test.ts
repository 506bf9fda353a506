import { EventEmitter } from 'node:events';
import type { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { assertRedis } from './assert-redis.ts';

/** A connection to a server of this version, of which no program is at hand: a check asks it these questions alone. */
const serverOf = (version: string): Redis =>
  Object.assign(new EventEmitter(), {
    options: {},
    info: async () => `# Server\r\nredis_version:${version}\r\nmaxmemory_policy:noeviction\r\naof_enabled:1\r\n`,
    config: async (_get: string, name: string) => [name, 'always'],
  }) as unknown as Redis;

it.each(['5.0.14', '6.0.20'])('refuses Redis %s, which lacks commands that Millrace needs', async (version) => {
  await expect(assertRedis(serverOf(version))).rejects.toMatchObject({
    code: 'REDIS_VERSION',
    message: `Redis ${version} is too old: 6.2 or later is needed.`,
  });
});

it('accepts the oldest version that has them', async () => {
  expect(await assertRedis(serverOf('6.2.0'))).toMatchObject({ version: '6.2.0' });
});
