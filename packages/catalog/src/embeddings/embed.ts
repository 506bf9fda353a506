import { createHash } from 'node:crypto';
import type { MemoryContext } from '@millrace/core';
import type { EmbeddingConfig } from './embedding-config.ts';
import { isRemoteEmbedding } from './embedding-config.ts';
import { partsToEmbed, requestedVectors, zeroVector } from './requested-vectors.ts';
import { toUnitVector } from './vector.ts';
import { builtInVector, scriptedVector } from './word-vectors.ts';

/** Vectors of length 1, in the order of their texts, and the space that they are in. */
export interface EmbeddedTexts {
  readonly space: string;
  readonly vectors: readonly Float32Array[];
}

/** Embeds texts as a store is configured to. Throws a NodeError. */
export async function embed(
  config: EmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<EmbeddedTexts> {
  const space = spaceOf(config, context);
  const raw = await rawVectors(config, texts, context);
  return { space, vectors: raw.map((one) => toUnitVector(one ?? zeroVector)) };
}

/** Like {@link embed}, but asks only for texts that nobody has embedded in the same way before. */
export async function embedCached(
  config: EmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<EmbeddedTexts> {
  const way = wayOf(config, context);
  const keys = texts.map((text) => keyOf(way, text));
  const found = new Map<string, Float32Array>();
  (await context.cachedVectors(keys)).forEach((vector, at) => {
    if (vector !== undefined) found.set(keys[at] ?? '', vector);
  });
  const missing = new Map(keys.flatMap((key, at) => (found.has(key) ? [] : [[key, texts[at] ?? '']])));
  for (const some of slicesOf(missing, (text) => requestedFor(config, text))) {
    const raw = await rawVectors(
      config,
      some.map(([, text]) => text),
      context,
    );
    const made = new Map(some.flatMap(([key], at) => (raw[at] === undefined ? [] : [[key, toUnitVector(raw[at])]])));
    // Kept as they come, so that nobody has to ask for all of them again. What was not got is not kept.
    if (made.size > 0) await context.cacheVectors(made);
    for (const [key] of some) found.set(key, made.get(key) ?? toUnitVector(zeroVector));
  }
  return { space: spaceOf(config, context), vectors: keys.map((key) => found.get(key) ?? new Float32Array()) };
}

/** What is asked for at once: as much as one request takes, so that nothing of it has to be paid for again. */
const sliceSize = 96;

/** Texts that are embedded and kept together; one that is more than that by itself is alone. */
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

const requestedFor = (config: EmbeddingConfig, text: string): number =>
  isRemoteEmbedding(config) ? partsToEmbed(config, text).length : 1;

const keyOf = (way: string, text: string): string =>
  createHash('sha256').update(`${way}\n${text}`).digest('hex').slice(0, 40);

/** All that a vector depends on beside its text. */
function wayOf(config: EmbeddingConfig, context: MemoryContext): string {
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
