import { expect, it, vi } from 'vitest';
import { LruMap } from './read-through-cache.ts';

function reading() {
  const reads: string[] = [];
  const read = (name: string) => async () => {
    reads.push(name);
    return name;
  };
  return { reads, read };
}

it('reads once for concurrent callers, and keeps the most recent values', async () => {
  const { reads, read } = reading();
  const recent = new LruMap<string>({ limit: 2 });
  expect(await Promise.all([recent.of('a', read('a')), recent.of('a', read('a'))])).toEqual(['a', 'a']);
  for (const name of ['b', 'a', 'c', 'a', 'b']) await recent.of(name, read(name));

  expect(reads).toEqual(['a', 'b', 'c', 'b']);
});

it('does not remember failures', async () => {
  const { reads, read } = reading();
  const recent = new LruMap<string>({ limit: 2 });
  await expect(recent.of('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');

  expect(await recent.of('a', read('a'))).toBe('a');
  expect(reads).toEqual(['a']);
});

it('reads expired values again', async () => {
  const { reads, read } = reading();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1000);
  const recent = new LruMap<string>({ forMs: 50, limit: 2 });
  for (const now of [1000, 1050, 1051]) {
    clock.mockReturnValue(now);
    await recent.of('a', read('a'));
  }
  clock.mockRestore();

  expect(reads).toEqual(['a', 'a']);
});
