import { createHash } from 'node:crypto';
import type { MemoryAccess, MemoryQuery, StoredMemory } from '@millrace/core';
import { defineMemory } from '@millrace/core';
import { z } from 'zod';
import { embed } from '../embeddings/embed.ts';
import { EmbeddingConfig, embeddingProblems, isAsked } from '../embeddings/embedding-config.ts';
import { nearest } from '../embeddings/nearest.ts';
import { textOfVector } from '../embeddings/vector.ts';
import { compressedText, cutText, lengthOf } from './compressed-text.ts';
import { withoutHeadlines } from './headlines.ts';
import { lexicalSimilarity } from './lexical-similarity.ts';
import { Place, placeOf } from './shared-place.ts';
import { keptOutput } from './stored-output.ts';

const SimpleConfig = z.object({
  memory_path: Place,
  embedding: EmbeddingConfig,
  max_items: z
    .int({ error: 'Write a whole number, such as `max_items: 500`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(5000)
    .describe('Memories beyond this number drop out, oldest first.'),
});

/** To the original engine, memories shorter than this say nothing. */
const shortest = 20;

/** Remembers what came in and what came out, and finds what is similar. */
export const simple = defineMemory({
  type: 'simple',
  summary: 'Remembers inputs and outputs and finds similar ones again.',
  config: SimpleConfig,
  secrets: ['embedding.api_key'],
  check: ({ embedding }) => embeddingProblems(embedding),
  embeds: ({ embedding }) => isAsked(embedding),
  limit: ({ max_items: limit }) => limit,
  place: ({ memory_path: path }) => placeOf(path),
  async recall({ embedding }, query, access) {
    const items = await access.items();
    return items.length === 0 ? [] : ranked(items, query, await similarTo(embedding, { items, query, access }));
  },
  async remember({ embedding }, experience, access) {
    const { role, input, output } = experience;
    if (output.trim() === '') return [];
    const extract = compressedText(`Input: ${input}\nOutput: ${output}`);
    if (access.compat && lengthOf(extract) < shortest) return [];
    const text = access.compat ? extract : `Input: ${compressedText(input)}\nOutput: ${keptOutput(experience, access)}`;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    if ((await access.items()).some((item) => item.hash === hash)) return [];
    const compared = access.compat ? extract : compressedText(`${withoutHeadlines(input)}\n${output}`);
    const { space, vectors } = await embed(embedding, [compared], access);
    const vector = textOfVector(vectors[0] ?? new Float32Array());
    const metadata = { role, input: cutText(input, 200, '…') };
    return [{ text, at: access.now(), hash, embedding: { space, vector }, metadata }];
  },
});

interface Search {
  readonly items: readonly StoredMemory[];
  readonly query: MemoryQuery;
  readonly access: MemoryAccess;
}

/** The memories that pass the threshold, best first: similar in meaning, and in words as well. */
async function similarTo(
  embedding: EmbeddingConfig,
  { items, query, access }: Search,
): Promise<readonly StoredMemory[]> {
  // The original engine compares labels and headlines too, which are the same for everything.
  const text = compressedText(access.compat ? `Query: ${query.text}` : withoutHeadlines(query.text));
  const { space, vectors } = await embed(embedding, [text], access);
  const vector = vectors[0] ?? new Float32Array();
  // More than are wanted, because words may change the order.
  const near = nearest(items, { space, vector }, 3 * query.topK);
  const { threshold = 0 } = query;
  return near
    .filter(({ similarity }) => threshold <= 0 || similarity >= threshold)
    .map(({ item, similarity }) => ({
      item,
      score: 0.7 * similarity + 0.3 * lexicalSimilarity(text, compressedText(item.text)),
    }))
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

/** A threshold of 0 or less asks for the newest memories too, whatever they are about: they get every other place. */
function ranked(
  items: readonly StoredMemory[],
  { topK, threshold }: MemoryQuery,
  similar: readonly StoredMemory[],
): readonly StoredMemory[] {
  if (threshold === undefined || threshold > 0) return similar.slice(0, topK);
  const newest = items.slice(-Math.ceil(topK / 2)).reverse();
  return [...new Set([...newest, ...similar])].slice(0, topK);
}
