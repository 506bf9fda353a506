import type { Memory } from '@millrace/core';
import { lengthOf } from './compressed-text.ts';
import { wordOverlap, wordSet } from './lexical-similarity.ts';

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
