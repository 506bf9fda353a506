import { problemOfKey, requestVectors } from '@millrace/catalog';
import type { BudgetRecord, EmbeddingRequest, Plan, Sleep, Usage } from '@millrace/core';
import { costOf, NodeError } from '@millrace/core';
import { apiKeyFor } from '../context/secrets.ts';
import type { CostBound } from '../context/step.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import type { FailedModelCall } from './failed-call.ts';
import { failedModelCallOf, rateLimitDelayMs } from './failed-call.ts';
import { assertPriced, termsOf, withCost } from './price.ts';
import { parseRateLimitHeaders } from './rate-limit-headers.ts';
import type { ModelCallSite } from './rate-limit-slot.ts';
import { rateLimitSlotFor } from './rate-limit-slot.ts';

/** One request for embeddings that is to be made: its slot, its worst case, and itself. */
export interface EmbeddingCall {
  acquireSlot(callKey: string): Promise<void>;
  worstCase(budget: BudgetRecord | undefined): CostBound;
  /** Result of the request. */
  send(): Promise<EmbeddingResult>;
}

/** Result of a request for embeddings. */
export type EmbeddingResult =
  | {
      readonly type: 'vectors';
      readonly vectors: readonly (readonly number[])[];
      readonly usage?: Usage;
      readonly model: string;
    }
  | { readonly type: 'failed'; readonly error: NodeError; readonly failed: FailedModelCall };

interface EmbeddingContext {
  readonly plan: Plan;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  readonly fetch: typeof fetch;
  readonly place: ModelCallSite;
}

/** Tokens that servers may count beside the bytes of a text. */
const overheadOfText = 16;

/** A request for embeddings; throws a NodeError when there is no key for it. */
export function embeddingCall(
  worker: WorkerContext,
  { plan, place, signal, sleep, fetch }: EmbeddingContext,
  request: EmbeddingRequest,
): EmbeddingCall {
  const asked = { ...request, provider: 'openai', apiKey: keyFor(worker, request) };
  // No tokenizer makes more tokens of a text than it has bytes.
  const most = request.texts.reduce((sum, text) => sum + Buffer.byteLength(text) + overheadOfText, 0);
  const terms = termsOf(worker, plan, asked);
  const slot = rateLimitSlotFor(worker, { asked, tokens: Math.ceil(most / 4), plan, place, signal, sleep });
  return {
    acquireSlot: (callKey) => slot.acquire(callKey),
    worstCase(budget) {
      if (budget === undefined) return 'unlimited';
      assertPriced(budget, terms, request.model);
      const microUsd =
        terms === undefined ? {} : { microUsd: costOf({ promptTokens: most, completionTokens: 0 }, terms) };
      return { tokens: most, ...microUsd, model: request.model };
    },
    async send() {
      const onHeaders = (headers: Headers) => {
        const limits = parseRateLimitHeaders(headers, Date.now());
        if (limits !== undefined) slot.reportLimits(limits);
      };
      try {
        const { vectors, usage } = await requestVectors(asked, { signal, fetch, onHeaders });
        if (usage === undefined) return { type: 'vectors', vectors, model: request.model };
        slot.reportUsage(usage.promptTokens);
        return { type: 'vectors', vectors, usage: withCost(worker, plan, asked, usage), model: request.model };
      } catch (error) {
        if (signal.aborted || !(error instanceof NodeError)) throw error;
        const failed = failedModelCallOf(error);
        const retryAfterMs = rateLimitDelayMs(failed);
        if (retryAfterMs !== undefined) slot.reportLimits({ retryAfterMs });
        return { type: 'failed', error, failed };
      }
    },
  };
}

/** Servers of one's own may want no key, but the SDK insists on one. */
function keyFor(worker: WorkerContext, { apiKey, baseUrl }: EmbeddingRequest): string {
  const key = apiKeyFor(worker, ['OPENAI_API_KEY'], apiKey) ?? (baseUrl === undefined ? undefined : 'none');
  const problem = key === undefined ? undefined : problemOfKey(key);
  if (problem !== undefined)
    throw new NodeError('MEMORY_EMBEDDING_FAILED', `The memory store received no embedding. ${problem}`);
  if (key !== undefined) return key;
  throw new NodeError(
    'MEMORY_EMBEDDING_FAILED',
    'The memory store received no embedding. There is no API key: write `api_key: ${API_KEY}` under `embedding` and set API_KEY, or set OPENAI_API_KEY where the worker runs.',
  );
}
