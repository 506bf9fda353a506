import { createHash } from 'node:crypto';
import type { MemoryContext } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { EmbeddingConfig, RemoteEmbeddingConfig } from './embedding-config.ts';
import { isRemoteEmbedding } from './embedding-config.ts';
import { toUnitVector } from './vector.ts';

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

/** The vector of a text without words and, as in the original engine, of one whose request failed. */
const zeroVector: ArrayLike<number> = new Float32Array(1536);

/**
 * Embeds texts with the server of a store's configuration: shortened, or in parts that are joined again. Undefined for
 * all texts if the request fails and the run continues without, as the original engine does.
 */
async function requestedVectors(
  config: RemoteEmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<readonly (ArrayLike<number> | undefined)[]> {
  const parts = texts.map((text) => partsToEmbed(config, text));
  try {
    const flat = await vectorsOf(config, parts.flat(), context);
    let at = 0;
    return parts.map((own) => {
      const vectors = flat.slice(at, at + own.length);
      at += own.length;
      return joined(vectors, config.params?.chunk_strategy ?? 'average');
    });
  } catch (error) {
    if (!context.compat || !(error instanceof NodeError)) throw error;
    return texts.map(() => undefined);
  }
}

/** Returns the parts of a text that are requested; none for a text without words, which has no direction. */
function partsToEmbed({ params }: RemoteEmbeddingConfig, raw: string): readonly string[] {
  const text = cleanText(raw);
  const length = params?.max_length ?? 8191;
  if (text === '') return [];
  if (params?.use_chunking && text.length > length) return partsOf(text, Math.max(1, Math.floor(length / 2)));
  return [text.slice(0, length)];
}

async function vectorsOf(
  { model, base_url: baseUrl, api_key: apiKey }: RemoteEmbeddingConfig,
  texts: readonly string[],
  context: MemoryContext,
): Promise<readonly (readonly number[])[]> {
  if (texts.length === 0) return [];
  return context.embed({ model, ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}), texts });
}

function joined(vectors: readonly (readonly number[])[], strategy: string): ArrayLike<number> {
  const [first, ...others] = vectors;
  if (first === undefined) return zeroVector;
  if (others.length === 0 || (strategy !== 'average' && strategy !== 'weighted')) return first;
  return first.map((_, dimension) =>
    vectors.reduce((sum, vector, at) => sum + (vector[dimension] ?? 0) / (strategy === 'weighted' ? at + 1 : 1), 0),
  );
}

/** Returns a text in the form that embedding models expect: words and spaces only. */
const cleanText = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N}_\s]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Returns the parts of a text, each at most `length` characters long, split between sentences where possible. */
function partsOf(text: string, length: number): readonly string[] {
  const parts: string[] = [];
  let part = '';
  for (const sentence of text.split(/[。！？；\n]/).flatMap((one) => slices(one.trim(), length))) {
    if (part !== '' && part.length + sentence.length > length) {
      parts.push(part);
      part = '';
    }
    part += `${sentence}。`;
  }
  return part === '' ? parts : [...parts, part];
}

function slices(text: string, length: number): readonly string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; at += length) cut.push(text.slice(at, at + length));
  return cut;
}

const wordsIn = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Returns the embedding of a scripted run: frequencies of words, in 64 numbers that words share by their md5. */
function scriptedVector(text: string): readonly number[] {
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
function builtInVector(text: string): readonly number[] {
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
