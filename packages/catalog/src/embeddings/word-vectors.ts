import { createHash } from 'node:crypto';

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Returns the embedding of a scripted run: frequencies of words, in 64 numbers that words share by their md5. */
export function scriptedVector(text: string): readonly number[] {
  const vector = new Array<number>(64).fill(0);
  for (const word of wordsIn(text)) add(vector, hashOf(word) % 64, 1);
  return vector;
}

const size = 512;

/**
 * Returns an embedding that needs no model: words with their beginnings, middles and ends, so that forms of one word
 * are similar. It does not represent meaning. The same text gives the same vector on every machine and in every
 * version.
 */
export function builtInVector(text: string): readonly number[] {
  const counts = new Map<string, number>();
  for (const word of wordsIn(text)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
    const padded = ` ${word} `;
    for (let at = 0; at + 3 <= padded.length && word.length > 2; at++) {
      const part = padded.slice(at, at + 3);
      counts.set(part, (counts.get(part) ?? 0) + 0.3);
    }
  }
  const vector = new Array<number>(size).fill(0);
  for (const [part, count] of counts) {
    const hash = hashOf(part);
    // The sign makes parts that share a number cancel out on average.
    add(vector, hash % size, (hash & 0x10000 ? 1 : -1) * Math.log1p(count));
  }
  return vector;
}

function add(vector: number[], at: number, value: number): void {
  vector[at] = (vector[at] ?? 0) + value;
}

const hashOf = (word: string): number => createHash('md5').update(word).digest().readUInt32BE(0);
