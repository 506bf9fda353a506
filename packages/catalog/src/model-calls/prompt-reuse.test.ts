import { expect, it } from 'vitest';
import type { ReuseInput } from './prompt-reuse.ts';
import { CacheConfig, promptReuse } from './prompt-reuse.ts';

const reuseOf = (bytes: number, more: Partial<ReuseInput> = {}) =>
  promptReuse({
    cache: undefined,
    isRepeated: true,
    continues: false,
    messages: [
      { role: 'system', content: 'x'.repeat(bytes) },
      { role: 'user', content: 'y'.repeat(10_000) },
    ],
    ...more,
  });

it.each([
  ['a short start', 5000, {}, { whole: false, start: false }],
  ['a long start', 6200, {}, { whole: false, start: true }],
  ['a long start of a node that asks once', 6200, { isRepeated: false }, { whole: false, start: false }],
  ['long tools', 100, { tools: [{ name: 'x'.repeat(6200), description: '', parameters: {} }] }, { start: true }],
  ['a conversation', 100, { continues: true }, { whole: true, start: false }],
  ['no cache', 6200, { continues: true, cache: 'off' as const }, { whole: false, start: false }],
  ['a time', 100, { isRepeated: false, cache: { ttl: '5m' as const } }, { whole: false, start: true }],
  ['a long time', 100, { cache: { ttl: '1h' as const } }, { whole: false, start: true, written: true, long: true }],
])('keeps what later requests repeat: %s', (_what, bytes, more, kept) => {
  expect(reuseOf(bytes, more)).toMatchObject(kept);
});

it('reads `off` as YAML 1.1 does', () => {
  expect(reuseOf(6200, { continues: true, cache: CacheConfig.parse(false) })).toEqual({ whole: false, start: false });
  expect(CacheConfig.safeParse(true).success).toBe(false);
});
