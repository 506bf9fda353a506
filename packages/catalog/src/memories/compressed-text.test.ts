import { describe, expect, it } from 'vitest';
import { compressedText, cutText, lengthOf } from './compressed-text.ts';

describe('compressing a text', () => {
  it('leaves a short one as it is, but for its spaces', () => {
    expect(compressedText('  a\n\n b\tc ')).toBe('a b c');
  });

  it('leaves out phrases of system prompts', () => {
    const text = `You are a very good writer of texts, ${'x'.repeat(120)}`;
    expect(compressedText(text)).toBe('x'.repeat(120));
  });

  it('keeps the first three Chinese sentences that have some length', () => {
    const sentences = ['一', '二', '三', '四'].map((word) => word.repeat(30));
    expect(compressedText(`短。${sentences.join('。')}。`)).toBe(sentences.slice(0, 3).join('。'));
  });

  it('cuts what is still too long', () => {
    expect(compressedText('y'.repeat(600))).toBe(`${'y'.repeat(500)}...`);
  });

  it('counts characters, not their halves', () => {
    expect(lengthOf('😀😀')).toBe(2);
    expect(cutText('😀😀😀', 2, '…')).toBe('😀😀…');
  });
});
