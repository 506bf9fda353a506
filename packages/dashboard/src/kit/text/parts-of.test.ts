import { describe, expect, it } from 'vitest';
import { partsOf } from './parts-of.ts';

describe('the parts of a text', () => {
  it.each(['', 'short', 'two\nlines'])('are the text itself where it is short: %j', (text) => {
    expect(partsOf(text)).toEqual([text]);
  });

  it.each([
    ['lines', 'a line of words\n'.repeat(70_000), '\n'],
    ['one line of words', 'word '.repeat(200_000), ''],
    ['one word', '\u{1F600}'.repeat(500_000), ''],
  ])('of a megabyte of %s are short, and together the text', (_kind, text, between) => {
    const parts = partsOf(text);

    expect(parts.join(between)).toBe(text);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024);
    expect(parts.filter((part) => /^[\uDC00-\uDFFF]/.test(part))).toEqual([]);
  });
});
