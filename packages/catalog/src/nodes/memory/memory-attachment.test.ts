import { describe, expect, it } from 'vitest';
import { Memories, memoryProblems, memoryUses, writtenStores } from './memory-attachment.ts';

const attached = (...fields: Record<string, unknown>[]) => Memories.parse(fields.map((one) => ({ name: 'M', ...one })));
const usesAt = (stage: 'gen' | 'pre_gen_thinking' | 'post_gen_thinking' | 'finished', compat = false) => ({
  stages: [stage],
  compat,
});

describe('the memories of a node', () => {
  it('are read with the documented defaults at generation', () => {
    expect(memoryUses(attached({}), usesAt('gen'))).toEqual([{ store: 'M', topK: 10, threshold: 0.5 }]);
    expect(memoryUses(attached({}), usesAt('pre_gen_thinking'))).toEqual([]);
  });

  it('are read at every stage, without a filter, in compatibility mode', () => {
    expect(memoryUses(attached({}), usesAt('pre_gen_thinking', true))).toEqual([{ store: 'M', topK: 3 }]);
    expect(memoryUses(attached({ retrieve_stage: [] }), usesAt('post_gen_thinking', true))).toHaveLength(1);
    expect(memoryUses(attached({}), usesAt('finished', true))).toEqual([]);
  });

  it('are read at the named stages, under each of their names', () => {
    const memories = attached({ retrieve_stage: ['post_gen', 'finished'] });
    expect(memoryUses(memories, usesAt('gen'))).toEqual([]);
    expect(memoryUses(memories, usesAt('post_gen_thinking'))).toHaveLength(1);
    expect(memoryUses(memories, usesAt('finished'))).toHaveLength(1);
  });

  it.each([
    [{}, true, true],
    [{ read: true }, true, false],
    [{ write: true }, false, true],
    [{ read: false }, false, false],
    [{ write: false }, false, false],
    [{ read: true, write: true }, true, true],
  ])('of %j are read: %j, written: %j', (fields, read, write) => {
    expect(memoryUses(attached(fields), usesAt('gen')).length > 0).toBe(read);
    expect(writtenStores(attached(fields), false).length > 0).toBe(write);
  });

  it('are read and written by default in compatibility mode', () => {
    expect(writtenStores(attached({ read: true }), true)).toEqual(['M']);
    expect(memoryUses(attached({ write: false }), usesAt('gen', true))).toHaveLength(1);
    expect(memoryUses(attached({ read: false }), usesAt('gen', true))).toEqual([]);
  });
});

describe('checking the memories of a node', () => {
  const codes = (fields: Record<string, unknown>, thinks = false) =>
    memoryProblems(attached(fields), { thinks }).map(({ code, path }) => `${code} ${path.join('.')}`);

  it('requires read and write', () => {
    expect(codes({})).toEqual(['W_MEMORY_READ_WRITE memories.0']);
    expect(codes({ read: true })).toEqual([]);
  });

  it('warns about stages of thinking in a node without thinking', () => {
    const stages = { read: true, retrieve_stage: ['pre_gen_thinking', 'post_gen'] };
    const place = 'W_MEMORY_STAGE memories.0.retrieve_stage';
    expect(codes(stages)).toEqual([place, place]);
    expect(codes(stages, true)).toEqual([]);
  });
});
