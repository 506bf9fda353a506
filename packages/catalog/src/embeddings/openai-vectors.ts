import type { MemoryAccess } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { EmbeddingConfig } from './embedding-config.ts';
import { partsOf, preparedText } from './prepared-text.ts';

type Configured = NonNullable<EmbeddingConfig>;

/** Texts of one request; servers limit them. */
const batchSize = 96;
const timeoutMs = 60_000;
/** What the original engine puts in place of a vector that it did not get. */
const zeros = new Float32Array(1536);

/** Embeds texts by OpenAI's embeddings, or a server with the same API. The SDK is loaded when the first text is. */
export async function openaiVectors(
  config: Configured,
  texts: readonly string[],
  access: MemoryAccess,
): Promise<readonly ArrayLike<number>[]> {
  const parts = texts.map((text) => partsToEmbed(config, preparedText(text)));
  try {
    const flat = await vectorsOf(config, parts.flat(), access);
    let at = 0;
    return parts.map((own) => {
      const vectors = flat.slice(at, at + own.length);
      at += own.length;
      return joined(vectors, config.params?.chunk_strategy ?? 'average');
    });
  } catch (error) {
    access.signal.throwIfAborted();
    if (!access.compat) throw explained(error, config, access);
    return texts.map(() => zeros);
  }
}

/** Nothing for a text without words: it has no direction. */
function partsToEmbed({ params }: Configured, text: string): readonly string[] {
  const length = params?.max_length ?? 8191;
  if (text === '') return [];
  if (params?.use_chunking && text.length > length) return partsOf(text, Math.max(1, Math.floor(length / 2)));
  return [text.slice(0, length)];
}

async function vectorsOf(config: Configured, texts: readonly string[], access: MemoryAccess): Promise<number[][]> {
  if (texts.length === 0) return [];
  const { OpenAI } = await import('openai');
  const client = new OpenAI({
    ...(config.api_key ? { apiKey: access.reveal(config.api_key) } : {}),
    ...(config.base_url ? { baseURL: config.base_url } : {}),
    fetch: (url, init) => access.fetch(String(url), init ?? {}),
    timeout: timeoutMs,
    logLevel: 'off',
  });
  const vectors: number[][] = [];
  for (let from = 0; from < texts.length; from += batchSize) {
    const input = texts.slice(from, from + batchSize);
    const { data } = await client.embeddings.create(
      { model: config.model, input, encoding_format: 'float' },
      { signal: access.signal },
    );
    const ordered = [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
    if (ordered.length !== input.length || ordered.some((vector) => !Array.isArray(vector) || vector.length === 0)) {
      throw new Error(`it answered with ${ordered.length} vectors for ${input.length} texts`);
    }
    vectors.push(...ordered);
  }
  return vectors;
}

function joined(vectors: readonly number[][], strategy: string): ArrayLike<number> {
  const [first, ...others] = vectors;
  if (first === undefined) return zeros;
  if (others.length === 0 || (strategy !== 'average' && strategy !== 'weighted')) return first;
  return first.map((_, dimension) =>
    vectors.reduce((sum, vector, at) => sum + (vector[dimension] ?? 0) / (strategy === 'weighted' ? at + 1 : 1), 0),
  );
}

function explained(
  error: unknown,
  { model, base_url: baseUrl, api_key: key }: Configured,
  access: MemoryAccess,
): NodeError {
  if (error instanceof NodeError) return error;
  // The SDK wraps what its connection ended with.
  if (error instanceof Error && error.cause instanceof NodeError) return error.cause;
  const where = baseUrl && URL.canParse(baseUrl) ? ` at ${new URL(baseUrl).origin}${new URL(baseUrl).pathname}` : '';
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  // A server that refuses a key may repeat parts of it, and others may repeat all of it.
  const refused = status === 401 || status === 403;
  const words = refused ? `it refused the API key (${status})` : wordsOf(error, key ? access.reveal(key) : '');
  const transient = status === undefined || status === 429 || (typeof status === 'number' && status >= 500);
  return new NodeError(
    'MEMORY_EMBEDDING_FAILED',
    `The embedding model "${model}"${where} gave no embedding: ${words}. Check \`embedding\` of the memory store.`,
    { transient, cause: error },
  );
}

function wordsOf(error: unknown, key: string): string {
  const words = error instanceof Error ? error.message : String(error);
  return (key === '' ? words : words.replaceAll(key, '[api key]')).slice(0, 300).replace(/[.\s]+$/, '');
}
