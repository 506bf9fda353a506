import type { MemoryQuery } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeMemoryAccess } from '../../../../test/support/fakes/fake-memory-access.ts';
import { simple } from './simple.ts';

const config = simple.config.parse({});
const said = (input: string, output: string) => ({ role: 'R', input, output });
const query = (text: string, more: Partial<MemoryQuery> = {}): MemoryQuery => ({ text, role: 'R', topK: 10, ...more });
const textsOf = (memories: readonly { readonly text: string }[]) => memories.map(({ text }) => text);

/** A store that remembers what was said, in this order. */
async function holding(given: Parameters<typeof fakeMemoryAccess>[0], ...pairs: readonly [string, string][]) {
  const access = fakeMemoryAccess(given);
  for (const [input, output] of pairs)
    access.hold((await simple.remember?.(config, said(input, output), access)) ?? []);
  return access;
}

describe('a simple store', () => {
  it('needs no configuration', () => {
    expect(config).toMatchObject({ max_items: 5000 });
    expect(simple.sharedStore?.(config)).toBeUndefined();
    expect(simple.sharedStore?.(simple.config.parse({ memory_path: 'auto' }))).toBeUndefined();
    expect(simple.sharedStore?.(simple.config.parse({ memory_path: ' notes.json' }))).toBe('notes.json');
  });

  it('remembers the output of an agent up to a limit, and that of a person in full', async () => {
    const access = fakeMemoryAccess();
    const long = 'word '.repeat(5000).trim();
    const [agents] = (await simple.remember?.(config, said('in', long), access)) ?? [];
    const [persons] = (await simple.remember?.(config, { ...said('in', long), whole: true }, access)) ?? [];
    expect(agents?.text).toBe(`Input: in\nOutput: ${long.slice(0, 20_000)}…`);
    expect(persons?.text).toBe(`Input: in\nOutput: ${long}`);
  });

  it('remembers an extract in compatibility mode', async () => {
    const access = fakeMemoryAccess({ compat: true });
    const [memory] = (await simple.remember?.(config, said('in', `a\n${'b'.repeat(600)}`), access)) ?? [];
    expect(memory?.text).toBe(`Input: in Output: a ${'b'.repeat(480)}...`);
  });

  it('remembers a short answer, except in compatibility mode', async () => {
    const [memory] = (await simple.remember?.(config, said('', 'ok'), fakeMemoryAccess())) ?? [];
    expect(memory?.text).toBe('Input: \nOutput: ok');
    expect(await simple.remember?.(config, said('', 'ok'), fakeMemoryAccess({ compat: true }))).toEqual([]);
  });

  it('remembers no empty text, and no text twice', async () => {
    const access = await holding({}, ['dragons', 'they breathe fire']);
    expect(await simple.remember?.(config, said('dragons', 'they breathe fire'), access)).toEqual([]);
    expect(await simple.remember?.(config, said('dragons', '  \n'), access)).toEqual([]);
  });

  it('finds similar memories, the best first', async () => {
    const access = await holding(
      {},
      ['castles of the north', 'they have walls of stone'],
      ['dragons of the south', 'dragons breathe fire'],
    );
    const found = await simple.recall(config, query('what do dragons breathe?', { threshold: 0.2 }), access);
    expect(textsOf(found)[0]).toContain('dragons breathe fire');
  });

  it('omits memories below the threshold', async () => {
    const access = await holding({}, ['castles', 'walls of stone']);
    expect(await simple.recall(config, query('zebra', { threshold: 0.5 }), access)).toEqual([]);
    expect(await simple.recall(config, query('zebra'), access)).toHaveLength(1);
  });

  it('ignores headings in the text that it compares', async () => {
    const head = '=== INPUT FROM TASK (user) ===\n\n';
    const access = await holding({}, [`${head}castles`, 'walls of stone']);
    expect(await simple.recall(config, query(`${head}zebra`, { threshold: 0.3 }), access)).toEqual([]);
    expect(await simple.recall(config, query(`${head}walls`, { threshold: 0.3 }), access)).toHaveLength(1);
  });

  it('always finds the newest memories when the threshold is 0 or less', async () => {
    const topics = Array.from({ length: 8 }, (_, at): [string, string] => ['dragons', `dragons number ${at}`]);
    const access = await holding({}, ...topics, ['lunch', 'soup']);
    const found = await simple.recall(config, query('dragons', { topK: 3, threshold: 0 }), access);
    expect(textsOf(found)).toHaveLength(3);
    expect(textsOf(found)[0]).toContain('soup');
    const similar = await simple.recall(config, query('dragons', { topK: 3 }), access);
    expect(textsOf(similar).join()).not.toContain('soup');
  });

  it('does not compare embeddings of another model', async () => {
    const access = await holding({}, ['dragons', 'they breathe fire']);
    const scripted = { ...access, scripted: true };
    expect(await simple.recall(config, query('dragons'), scripted)).toEqual([]);
    expect(await simple.recall(config, query('dragons', { threshold: 0 }), scripted)).toHaveLength(1);
  });

  it('warns about an embedding that is not loaded', () => {
    const local = simple.config.parse({ embedding: { provider: 'local', model: 'm' } });
    expect(simple.check?.(local)).toMatchObject([{ code: 'W_MEMORY_EMBEDDING_LOCAL' }]);
  });
});
