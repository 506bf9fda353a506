import type { MemoryContext } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { RemoteEmbeddingConfig } from './embedding-config.ts';
import { cleanText, partsOf } from './prepared-text.ts';

/** The vector of a text without words and, as in the original engine, of one whose request failed. */
export const zeroVector: ArrayLike<number> = new Float32Array(1536);

/**
 * Embeds texts with the server of a store's configuration: shortened, or in parts that are joined again. Undefined for
 * all texts if the request fails and the run continues without, as the original engine does.
 */
export async function requestedVectors(
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
export function partsToEmbed({ params }: RemoteEmbeddingConfig, raw: string): readonly string[] {
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
