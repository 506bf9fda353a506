import { describe, expect, it } from 'vitest';
import { fakeMemoryAccess } from '../../../../test/support/fakes/fake-memory-access.ts';
import { blackboard } from './blackboard.ts';

const config = blackboard.config.parse({});

describe('a blackboard', () => {
  it('returns the newest entries, whatever the query', async () => {
    const access = fakeMemoryAccess();
    access.hold(['a', 'b', 'c'].map((text) => ({ text, at: 0 })));
    const found = await blackboard.recall(config, { text: 'zebra', role: '', topK: 2, threshold: 0.9 }, access);
    expect(found.map(({ text }) => text)).toEqual(['b', 'c']);
  });

  it('stores outputs, or inputs without an output, and no blank text', async () => {
    const access = fakeMemoryAccess();
    const taken = async (input: string, output: string) =>
      (await blackboard.remember?.(config, { role: '', input, output }, access))?.map(({ text }) => text);
    expect(await taken('in', ' out ')).toEqual(['out']);
    expect(await taken('in', ' ')).toEqual(['in']);
    expect(await taken('', '')).toEqual([]);
  });

  it('keeps the configured number of entries', () => {
    expect(blackboard.limit?.(config)).toBe(1000);
    expect(blackboard.limit?.(blackboard.config.parse({ max_items: 3 }))).toBe(3);
    expect(blackboard.config.safeParse({ max_items: 0 }).success).toBe(false);
  });
});
