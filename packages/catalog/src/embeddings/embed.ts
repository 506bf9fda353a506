import { createHash } from 'node:crypto';
import type { MemoryContext } from '@millrace/core';
import type { EmbeddingConfig } from './embedding-config.ts';
import { isRemoteEmbedding } from './embedding-config.ts';
import { partsToEmbed, requestedVectors, zeroVector } from './requested-vectors.ts';
import { toUnitVector } from './vector.ts';
import { builtInVector, scriptedVector } from './word-vectors.ts';

/** Vectors of length 1, in the order of their texts, and the space that they belong to. */
export interface EmbeddedTexts {
  readonly space: string;
  readonly vectors: readonly Float32Array[];
}

/** Embeds texts with the embedding of a store. Throws a NodeError. */
export async function embed(
  config: EmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<EmbeddedTexts> {
  const space = spaceOf(config, context);
  const raw = await rawVectors(config, texts, context);
  return { space, vectors: raw.map((one) => toUnitVector(one ?? zeroVector)) };
}

/** Like {@link embed}, but requests only texts that are not in the cache. */
export async function embedCached(
  config: EmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<EmbeddedTexts> {
  const embedding = embeddingKey(config, context);
  const keys = texts.map((text) => keyOf(embedding, text));
  const found = new Map<string, Float32Array>();
  (await context.cachedVectors(keys)).forEach((vector, at) => {
    if (vector !== undefined) found.set(keys[at] ?? '', vector);
  });
  const missing = new Map(keys.flatMap((key, at) => (found.has(key) ? [] : [[key, texts[at] ?? '']])));
  for (const some of slicesOf(missing, (text) => partCount(config, text))) {
    const raw = await rawVectors(
      config,
      some.map(([, text]) => text),
      context,
    );
    const newVectors = new Map(
      some.flatMap(([key], at) => (raw[at] === undefined ? [] : [[key, toUnitVector(raw[at])]])),
    );
    // Cached slice by slice, so that a later failure does not repeat all requests. Vectors that are missing are not
    // cached.
    if (newVectors.size > 0) await context.cacheVectors(newVectors);
    for (const [key] of some) found.set(key, newVectors.get(key) ?? toUnitVector(zeroVector));
  }
  return { space: spaceOf(config, context), vectors: keys.map((key) => found.get(key) ?? new Float32Array()) };
}

/** Number of texts in one request: as many as one request takes, so that a failure repeats little that was paid for. */
const sliceSize = 96;

/** Yields slices of texts that are embedded and cached together; a text that exceeds the size is a separate slice. */
function* slicesOf(
  missing: ReadonlyMap<string, string>,
  sizeOf: (text: string) => number,
): Generator<readonly (readonly [key: string, text: string])[]> {
  let slice: (readonly [string, string])[] = [];
  let size = 0;
  for (const one of missing) {
    const more = sizeOf(one[1]);
    if (slice.length > 0 && size + more > sliceSize) {
      yield slice;
      slice = [];
      size = 0;
    }
    slice.push(one);
    size += more;
  }
  if (slice.length > 0) yield slice;
}

const partCount = (config: EmbeddingConfig, text: string): number =>
  isRemoteEmbedding(config) ? partsToEmbed(config, text).length : 1;

const keyOf = (embedding: string, text: string): string =>
  createHash('sha256').update(`${embedding}\n${text}`).digest('hex').slice(0, 40);

/** Returns everything that a vector depends on besides its text. */
function embeddingKey(config: EmbeddingConfig, context: MemoryContext): string {
  const space = spaceOf(config, context);
  if (context.scripted || !isRemoteEmbedding(config)) return space;
  const { base_url: url, params } = config;
  return JSON.stringify([space, url, params?.max_length, params?.use_chunking, params?.chunk_strategy]);
}

function spaceOf(config: EmbeddingConfig, { scripted }: MemoryContext): string {
  if (scripted) return 'scripted';
  return isRemoteEmbedding(config) ? `openai/${config.model}` : 'built-in';
}

async function rawVectors(
  config: EmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<readonly (ArrayLike<number> | undefined)[]> {
  if (context.scripted) return texts.map(scriptedVector);
  if (!isRemoteEmbedding(config)) return texts.map(builtInVector);
  return requestedVectors(config, texts, context);
}
