import type { Memory } from '@millrace/core';
import { lengthOf } from './compressed-text.ts';

/** A memory that was found, and the name of its store. */
export interface RecalledMemory {
  readonly store: string;
  readonly memory: Memory;
}

/**
 * Returns memories as text for models and people: store by store, the best memories first; empty if there are none.
 * Recent memories, of some length, that share words with the query are better.
 */
export function recalledMemoriesText(
  found: readonly RecalledMemory[],
  { query, now }: { readonly query: string; readonly now: number },
): string {
  if (found.length === 0) return '';
  const words = wordSet(query.toLowerCase());
  const scored = found.map((one) => ({ ...one, score: scoreOf(one.memory, words, now) }));
  const groups = new Map<string, string[]>();
  for (const { store, memory } of scored.sort((a, b) => b.score - a.score)) {
    groups.set(store, [...(groups.get(store) ?? []), memory.text]);
  }
  const parts = [...groups].flatMap(([store, texts]) => [
    `\n--- ${store} ---`,
    ...texts.map((text, at) => `${at + 1}. ${text}`),
  ]);
  return ['===== Related Memories =====', ...parts, '\n===== End of Memory ====='].join('\n');
}

const decayMs = 30 * 24 * 3600 * 1000;

function scoreOf({ text, at }: Memory, query: ReadonlySet<string>, now: number): number {
  const freshness = Math.max(0.1, 1 - (now - at) / decayMs);
  const length = lengthOf(text);
  const lengthFactor = length < 20 ? 0.5 : length > 200 ? 0.8 : 1;
  return 0.7 * freshness * lengthFactor + 0.3 * wordOverlap(query, wordSet(text.toLowerCase()));
}

/**
 * Returns the similarity of two texts by letters and words, from 0 to 1. Takes time proportional to the product of
 * their lengths.
 */
export function lexicalSimilarity(query: string, content: string): number {
  const [a, b] = [query.toLowerCase(), content.toLowerCase()];
  const [ours, theirs] = [wordSet(a), wordSet(b)];
  const score =
    0.4 * overlap(ours, theirs) +
    0.3 * commonLetters(a, b) +
    0.2 * wordOverlap(longer(ours), longer(theirs)) +
    0.1 * lengthFactor(a.length, b.length);
  return Math.min(score, 1);
}

/** Returns the distinct words of a text. */
const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ''));

/** Returns the share of the words of `a` that `b` contains. */
function wordOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  return a.size === 0 ? 0 : common(a, b) / a.size;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = common(a, b);
  return a.size === 0 || b.size === 0 ? 0 : both / (a.size + b.size - both);
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const word of a) if (b.has(word)) count++;
  return count;
}

const longer = (words: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...words].filter((word) => word.length >= 2));

/** Returns the length of the longest common subsequence, as a share of the longer text. */
function commonLetters(a: string, b: string): number {
  if (a === '' || b === '') return 0;
  const letters = Array.from(b, (_, at) => b.charCodeAt(at));
  const lengths = new Uint32Array(b.length + 1);
  for (let i = 0; i < a.length; i++) {
    const letter = a.charCodeAt(i);
    let diagonal = 0;
    for (let j = 0; j < letters.length; j++) {
      // Both indices are in range: the row has one more entry than there are letters.
      const above = lengths[j + 1] as number;
      lengths[j + 1] = letters[j] === letter ? diagonal + 1 : Math.max(above, lengths[j] as number);
      diagonal = above;
    }
  }
  return (lengths[b.length] ?? 0) / Math.max(a.length, b.length);
}

function lengthFactor(query: number, content: number): number {
  if (content === 0 || query === 0) return 0;
  const ratio = content / query;
  if (ratio < 0.5) return ratio / 0.5;
  return ratio > 2 ? Math.max(0.1, 2 / ratio) : 1;
}
