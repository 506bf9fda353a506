import { describe, expect, it } from 'vitest';
import { compressedText, cutText, lengthOf } from './compressed-text.ts';

describe('compressing a text', () => {
  it('keeps a short text and normalises its spaces', () => {
    expect(compressedText('  a\n\n b\tc ')).toBe('a b c');
  });

  it('removes phrases of system prompts', () => {
    const text = `You are a very good writer of texts, ${'x'.repeat(120)}`;
    expect(compressedText(text)).toBe('x'.repeat(120));
  });

  it('keeps the first three Chinese sentences of sufficient length', () => {
    const sentences = ['一', '二', '三', '四'].map((word) => word.repeat(30));
    expect(compressedText(`短。${sentences.join('。')}。`)).toBe(sentences.slice(0, 3).join('。'));
  });

  it('truncates a text that is still too long', () => {
    expect(compressedText('y'.repeat(600))).toBe(`${'y'.repeat(500)}...`);
  });

  it('counts characters, not UTF-16 units', () => {
    expect(lengthOf('😀😀')).toBe(2);
    expect(cutText('😀😀😀', 2, '…')).toBe('😀😀…');
  });
});
