import type { EmbeddingRequest, MemoryContext } from '@millrace/core';
import { NodeError } from '@millrace/core';

/** Thrown when an operation on a store needs vectors that have to be requested first. */
export class MissingVectors extends Error {
  readonly request: EmbeddingRequest;
  constructor(request: EmbeddingRequest) {
    super('vectors are to be asked for');
    this.name = 'VectorsMissing';
    this.request = request;
  }
}

/** Texts of one request; servers limit them. */
const batchSize = 96;

/** Vectors that were requested for an activation, with failures in the place of missing ones. */
export class VectorCache {
  readonly #known = new Map<string, readonly number[] | NodeError>();
  /** Of those that are kept for all; undefined: there is none. */
  readonly #kept = new Map<string, Float32Array | undefined>();

  /** Vectors of texts; throws {@link MissingVectors} with the next request when some are not known. */
  readonly #embed: MemoryContext['embed'] = async ({ texts, ...server }) => {
    const missing = [...new Set(texts)].filter((text) => !this.#known.has(keyOf(server, text)));
    if (missing.length > 0) throw new MissingVectors({ ...server, texts: missing.slice(0, batchSize) });
    return texts.map((text) => {
      const known = this.#known.get(keyOf(server, text));
      if (known === undefined || known instanceof NodeError) throw known ?? new Error('an embedding is missing');
      return known;
    });
  };

  /** Wraps the access to a store so that it calls no model: each vector that is shared by all is read once, and cached. */
  wrap({ cachedVectors: vectors, cacheVectors: keepVectors, ...access }: MemoryContext): MemoryContext {
    return {
      ...access,
      embed: this.#embed,
      cachedVectors: async (keys) => {
        const unread = keys.filter((key) => !this.#kept.has(key));
        const read = unread.length === 0 ? [] : await vectors(unread);
        for (const [at, key] of unread.entries()) this.#kept.set(key, read[at]);
        return keys.map((key) => this.#kept.get(key));
      },
      cacheVectors: async (made) => {
        await keepVectors(made);
        for (const [key, vector] of made) this.#kept.set(key, vector);
      },
    };
  }

  /** Adds the result of a request. */
  add({ texts, ...server }: EmbeddingRequest, came: readonly (readonly number[])[] | NodeError): void {
    for (const [at, text] of texts.entries()) {
      const one = came instanceof NodeError ? came : came[at];
      if (one !== undefined) this.#known.set(keyOf(server, text), one);
    }
  }

  /** Forgets failures, so that the same vectors may be requested again. */
  forgetFailures(): void {
    for (const [key, known] of this.#known) if (known instanceof NodeError) this.#known.delete(key);
  }
}

const keyOf = ({ model, baseUrl = '', apiKey = '' }: Omit<EmbeddingRequest, 'texts'>, text: string): string =>
  JSON.stringify([model, baseUrl, apiKey, text]);
