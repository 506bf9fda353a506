import { describe, expect, it } from 'vitest';
import { lexicalSimilarity, recalledMemoriesText } from './recalled-memories.ts';

const day = 24 * 3600 * 1000;
const now = 100 * day;
const of = (store: string, text: string, ageDays = 0) => ({ store, memory: { text, at: now - ageDays * day } });
const fitting = 'a text that is neither short nor long';

describe('the text of recalled memories', () => {
  it('is empty when none was found', () => {
    expect(recalledMemoriesText([], { query: 'q', now })).toBe('');
  });

  it('is grouped by store, in the order of the best memory of each', () => {
    const found = [of('Old', `${fitting} 1`, 20), of('New', `${fitting} 2`), of('Old', `${fitting} 3`, 10)];
    expect(recalledMemoriesText(found, { query: 'q', now })).toBe(
      [
        '===== Related Memories =====',
        '',
        '--- New ---',
        `1. ${fitting} 2`,
        '',
        '--- Old ---',
        `1. ${fitting} 3`,
        `2. ${fitting} 1`,
        '',
        '===== End of Memory =====',
      ].join('\n'),
    );
  });

  it('begins with memories that share words with the query, and ends with very short ones', () => {
    const found = [of('S', 'short'), of('S', fitting), of('S', `Dragons and ${fitting}`)];
    const lines = recalledMemoriesText(found, { query: 'about dragons', now }).split('\n');
    expect(lines.filter((line) => /^\d/.test(line))).toEqual([
      `1. Dragons and ${fitting}`,
      `2. ${fitting}`,
      '3. short',
    ]);
  });
});

describe('the similarity of two texts', () => {
  it('is 1 for equal texts, ignoring case', () => {
    expect(lexicalSimilarity('The Red Dragon', 'the red dragon')).toBeCloseTo(1);
  });

  it('weighs words, letters, longer words and length', () => {
    // One of three words; 3 of 6 letters in order; one of two longer words; fitting lengths.
    expect(lexicalSimilarity('abc d', 'abc ef')).toBeCloseTo(0.4 / 3 + (0.3 * 4) / 6 + 0.2 + 0.1);
  });

  it('is 0 for empty texts', () => {
    expect(lexicalSimilarity('', 'abc')).toBe(0);
    expect(lexicalSimilarity('abc', '')).toBe(0);
  });
});
