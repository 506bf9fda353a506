import type { EmbeddingRequest, Usage } from '@millrace/core';
import { NodeError, omitUndefined } from '@millrace/core';
import { z } from 'zod';
import { startDeadline } from '../deadlines/deadline.ts';
import { apiError } from '../model-calls/api-error.ts';
import { boundedFetch } from '../model-calls/bounded-fetch.ts';
import { boundedList } from '../model-calls/bounded-list.ts';
import type { ModelError } from '../model-calls/model-error.ts';
import { reportedCount } from '../model-calls/reported-usage.ts';

/** Context of one request for embeddings. */
export interface EmbeddingCallOptions {
  readonly signal: AbortSignal;
  readonly fetch: typeof globalThis.fetch;
  /** Called with the headers of the response, which may contain rate limits. */
  readonly onHeaders?: (headers: Headers) => void;
}

/** Vectors in the order of their texts. */
export interface EmbeddingReply {
  readonly vectors: readonly (readonly number[])[];
  /** Absent: the server reports none. */
  readonly usage?: Usage;
}

const timeoutMs = 60_000;

/** A list that is no vector is refused as a whole, without a problem per entry. */
const Vector = z.custom<readonly number[]>(
  (value) => Array.isArray(value) && value.length > 0 && value.every((each) => Number.isFinite(each)),
);

const Answer = z.object({
  data: boundedList(z.object({ index: z.number(), embedding: Vector })),
  usage: z.object({ prompt_tokens: reportedCount }).nullish().catch(null),
});

/**
 * Sends one request for embeddings to OpenAI, or to a server with the same API; `apiKey` is the key itself. The SDK is
 * loaded with the first request. Throws a NodeError with the properties of a failed model call.
 */
export async function requestVectors(
  request: EmbeddingRequest,
  { signal, fetch, onHeaders }: EmbeddingCallOptions,
): Promise<EmbeddingReply> {
  const deadline = startDeadline(timeoutMs, signal);
  const seen = boundedFetch(request.model, fetch);
  try {
    const { OpenAI } = await import('openai');
    const client = new OpenAI(
      omitUndefined({
        apiKey: request.apiKey ?? '',
        baseURL: request.baseUrl,
        fetch: seen.fetch,
        // The worker retries: repeated requests are paid for again.
        maxRetries: 0,
        logLevel: 'off',
      }),
    );
    const { model, texts } = request;
    const asked = { model, input: [...texts], encoding_format: 'float' as const };
    return replyOf(await client.embeddings.create(asked, { signal: deadline.signal }), texts.length);
  } catch (error) {
    signal.throwIfAborted();
    const late = deadline.expired ? timeoutMs : undefined;
    throw failed(apiError(error, { request, api: 'OpenAI-compatible', seen, timeoutMs: late }));
  } finally {
    deadline.clear();
    if (seen.headers !== undefined) onHeaders?.(seen.headers);
  }
}

function replyOf(answer: unknown, count: number): EmbeddingReply {
  const { data, usage } = Answer.parse(answer);
  const vectors = [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  if (vectors.length !== count) throw new Error(`it has ${vectors.length} vectors for ${count} texts`);
  return { vectors, ...(usage == null ? {} : { usage: { promptTokens: usage.prompt_tokens, completionTokens: 0 } }) };
}

function failed(error: ModelError): NodeError {
  if (error.code === 'ADDRESS_REFUSED') return error;
  const { transient, status, types, retryAfterSeconds, free } = error;
  const message = `The memory store received no embedding. ${error.message}`;
  const facts = { status, types, retryAfterSeconds, free };
  return Object.assign(new NodeError('MEMORY_EMBEDDING_FAILED', message, { transient }), facts);
}
