import { describe, expect, it } from 'vitest';
import { chunksOf } from './read-chunks.ts';

describe('the chunks of a file', () => {
  it('are one for a short file, and none for a blank file', () => {
    expect(chunksOf('# Title\ntext\n')).toEqual(['# Title\ntext\n']);
    expect(chunksOf(' \n ')).toEqual([]);
  });

  it('end after a sentence in their second half', () => {
    const first = `${'a'.repeat(299)}.`;
    const chunks = chunksOf(`${first}${'b'.repeat(400)}`);
    expect(chunks).toEqual([first, `${first.slice(-50)}${'b'.repeat(400)}`]);
  });

  it('end anywhere where no sentence ends, and overlap', () => {
    const text = Array.from({ length: 1200 }, (_, at) => String.fromCharCode(0x4e00 + at)).join('');
    const chunks = chunksOf(text);
    expect(chunks.map((chunk) => chunk.length)).toEqual([500, 500, 300]);
    expect(chunks[1]?.slice(0, 50)).toBe(chunks[0]?.slice(-50));
    expect(chunks.at(-1)?.at(-1)).toBe(text.at(-1));
  });
});
