import { createHash } from 'node:crypto';
import type { MemoryAccess } from '@millrace/core';
import { askedVectors } from './asked-vectors.ts';
import type { EmbeddingConfig } from './embedding-config.ts';
import { isAsked } from './embedding-config.ts';
import { normalised } from './vector.ts';
import { builtInVector, scriptedVector } from './word-vectors.ts';

/** Vectors of length 1, in the order of their texts, and the space that they are in. */
export interface Embedded {
  readonly space: string;
  readonly vectors: readonly Float32Array[];
}

/** Embeds texts as a store is configured to. Throws a NodeError. */
export async function embed(
  config: EmbeddingConfig,
  texts: readonly string[],
  access: MemoryAccess,
): Promise<Embedded> {
  const space = spaceOf(config, access);
  const raw = await rawVectors(config, texts, access);
  return { space, vectors: raw.map(normalised) };
}

/** Like {@link embed}, but asks only for texts that nobody has embedded before. */
export async function embedOnce(
  config: EmbeddingConfig,
  texts: readonly string[],
  access: MemoryAccess,
): Promise<Embedded> {
  const space = spaceOf(config, access);
  const keys = texts.map((text) => keyOf(space, text));
  const found = new Map<string, Float32Array>();
  (await access.vectors(keys)).forEach((vector, at) => {
    if (vector !== undefined) found.set(keys[at] ?? '', vector);
  });
  const missing = new Map(keys.flatMap((key, at) => (found.has(key) ? [] : [[key, texts[at] ?? '']])));
  for (const some of slicesOf([...missing])) {
    const { vectors } = await embed(
      config,
      some.map(([, text]) => text),
      access,
    );
    const made = new Map(some.map(([key], at) => [key, vectors[at] ?? new Float32Array()]));
    // Kept as they come, so that nobody has to ask for all of them again.
    await access.keepVectors(made);
    for (const [key, vector] of made) found.set(key, vector);
  }
  return { space, vectors: keys.map((key) => found.get(key) ?? new Float32Array()) };
}

/** Texts that are embedded and kept together. */
const sliceSize = 96;

const slicesOf = <T>(all: readonly T[]): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / sliceSize) }, (_, at) => all.slice(at * sliceSize, (at + 1) * sliceSize));

const keyOf = (space: string, text: string): string =>
  createHash('sha256').update(`${space}\n${text}`).digest('hex').slice(0, 40);

function spaceOf(config: EmbeddingConfig, { scripted }: MemoryAccess): string {
  if (scripted) return 'scripted';
  return isAsked(config) ? `openai/${config.model}` : 'built-in';
}

async function rawVectors(
  config: EmbeddingConfig,
  texts: readonly string[],
  access: MemoryAccess,
): Promise<readonly ArrayLike<number>[]> {
  if (access.scripted) return texts.map(scriptedVector);
  if (!isAsked(config)) return texts.map(builtInVector);
  return askedVectors(config, texts, access);
}
