import { createHash } from 'node:crypto';
import type { MemoryContext, MemoryQuery, StoredMemory } from '@millrace/core';
import { defineMemory } from '@millrace/core';
import { z } from 'zod';
import { embed } from '../embeddings/embed.ts';
import { EmbeddingConfig, embeddingProblems, isRemoteEmbedding } from '../embeddings/embedding-config.ts';
import { nearest, textOfVector } from '../embeddings/vector.ts';
import { compressedText, cutText, lengthOf } from './compressed-text.ts';
import { withoutHeadlines } from './headlines.ts';
import { lexicalSimilarity } from './recalled-memories.ts';
import { SharedStore, sharedStoreOf } from './shared-store.ts';
import { storedOutput } from './stored-output.ts';

const SimpleConfig = z.object({
  memory_path: SharedStore,
  embedding: EmbeddingConfig,
  max_items: z
    .int({ error: 'Write a whole number, such as `max_items: 500`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(5000)
    .describe('Maximum number of memories; the oldest are removed.'),
});

/** Minimum length of a memory in the original engine, in characters. */
const shortest = 20;

/** Memory store that remembers inputs and outputs, and finds similar ones. */
export const simple = defineMemory({
  type: 'simple',
  summary: 'Remembers inputs and outputs, and finds similar ones.',
  config: SimpleConfig,
  secrets: ['embedding.api_key'],
  check: ({ embedding }) => embeddingProblems(embedding),
  embeds: ({ embedding }) => isRemoteEmbedding(embedding),
  limit: ({ max_items: limit }) => limit,
  sharedStore: ({ memory_path: path }) => sharedStoreOf(path),
  async recall({ embedding }, query, context) {
    const items = await context.items();
    return items.length === 0
      ? []
      : ranked(items, query, await similarTo(embedding, { items, query, access: context }));
  },
  async remember({ embedding }, experience, context) {
    const { role, input, output } = experience;
    if (output.trim() === '') return [];
    const extract = compressedText(`Input: ${input}\nOutput: ${output}`);
    if (context.compat && lengthOf(extract) < shortest) return [];
    const text = context.compat
      ? extract
      : `Input: ${compressedText(input)}\nOutput: ${storedOutput(experience, context)}`;
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
    if ((await context.items()).some((item) => item.hash === hash)) return [];
    const compared = context.compat ? extract : compressedText(`${withoutHeadlines(input)}\n${output}`);
    const { space, vectors } = await embed(embedding, [compared], context);
    const vector = textOfVector(vectors[0] ?? new Float32Array());
    const metadata = { role, input: cutText(input, 200, '…') };
    return [{ text, at: context.now(), hash, embedding: { space, vector }, metadata }];
  },
});

interface Search {
  readonly items: readonly StoredMemory[];
  readonly query: MemoryQuery;
  readonly access: MemoryContext;
}

/** Returns the memories above the threshold, best first, by similarity of meaning and of words. */
async function similarTo(
  embedding: EmbeddingConfig,
  { items, query, access: context }: Search,
): Promise<readonly StoredMemory[]> {
  // The original engine also compares labels and headlines, which are the same in all texts.
  const text = compressedText(context.compat ? `Query: ${query.text}` : withoutHeadlines(query.text));
  const { space, vectors } = await embed(embedding, [text], context);
  const vector = vectors[0] ?? new Float32Array();
  // More than requested, because the words may change the order.
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

/** Returns the best memories. With a threshold of 0 or less, the newest memories fill half of the places. */
function ranked(
  items: readonly StoredMemory[],
  { topK, threshold }: MemoryQuery,
  similar: readonly StoredMemory[],
): readonly StoredMemory[] {
  if (threshold === undefined || threshold > 0) return similar.slice(0, topK);
  const newest = items.slice(-Math.ceil(topK / 2)).reverse();
  return [...new Set([...newest, ...similar])].slice(0, topK);
}
