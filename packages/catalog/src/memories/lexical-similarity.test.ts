import { describe, expect, it } from 'vitest';
import { lexicalSimilarity } from './lexical-similarity.ts';

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
