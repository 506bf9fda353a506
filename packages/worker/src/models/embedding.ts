import { requestVectors } from '@millrace/catalog';
import type { BudgetRecord, EmbeddingRequest, Plan, Usage } from '@millrace/core';
import { costOf, NodeError } from '@millrace/core';
import { keyOf } from '../context/reveal-secrets.ts';
import type { Bound } from '../context/steps.ts';
import type { Crew } from '../context/worker-context.ts';
import type { FailedCall } from './failed-call.ts';
import { factsOf, pauseAfter } from './failed-call.ts';
import { assertPriced, priced, priceFor } from './price.ts';
import { rateNewsOf } from './rate-limit-headers.ts';
import type { Place } from './rate-limit-slot.ts';
import { turnOf } from './rate-limit-slot.ts';

/** One request for embeddings that is to be made: its turn, its worst case, and itself. */
export interface EmbeddingCall {
  turn(who: string): Promise<void>;
  worst(budget: BudgetRecord | undefined): Bound;
  /** What it comes to. */
  make(): Promise<Embedded>;
}

/** What a request for embeddings came to. */
export type Embedded =
  | { readonly type: 'vectors'; readonly vectors: readonly (readonly number[])[]; readonly usage?: Usage }
  | { readonly type: 'failed'; readonly error: NodeError; readonly failed: FailedCall };

interface Around {
  readonly plan: Plan;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  readonly place: Place;
}

/** What servers may count beside the bytes of a text. */
const overheadOfText = 16;

/** A request for embeddings; throws a NodeError when there is no key for it. */
export function embeddingCall(
  crew: Crew,
  { plan, place, signal, fetch }: Around,
  request: EmbeddingRequest,
): EmbeddingCall {
  const asked = { ...request, provider: 'openai', apiKey: keyFor(crew, request) };
  // No tokenizer makes more tokens of a text than it has bytes.
  const most = request.texts.reduce((sum, text) => sum + Buffer.byteLength(text) + overheadOfText, 0);
  const price = priceFor(crew, plan, asked);
  const turn = turnOf(crew, { asked, tokens: Math.ceil(most / 4), plan, place, signal });
  return {
    turn: (who) => turn.take(who),
    worst(budget) {
      if (budget === undefined) return 'unlimited';
      assertPriced(budget, price, request.model);
      const microUsd =
        price === undefined ? {} : { microUsd: costOf(price, { promptTokens: most, completionTokens: 0 }) };
      return { tokens: most, ...microUsd };
    },
    async make() {
      const heard = (headers: Headers) => {
        const news = rateNewsOf(headers, Date.now());
        if (news !== undefined) turn.learn(news);
      };
      try {
        const { vectors, usage } = await requestVectors(asked, { signal, fetch, heard });
        if (usage === undefined) return { type: 'vectors', vectors };
        turn.correct(usage.promptTokens);
        return { type: 'vectors', vectors, usage: priced(usage, price) };
      } catch (error) {
        if (signal.aborted || !(error instanceof NodeError)) throw error;
        const failed = factsOf(error);
        const pauseMs = pauseAfter(failed);
        if (pauseMs !== undefined) turn.learn({ pauseMs });
        return { type: 'failed', error, failed };
      }
    },
  };
}

/** Servers of one's own may want no key, but the SDK insists on one. */
function keyFor(crew: Crew, { apiKey, baseUrl }: EmbeddingRequest): string {
  const key = keyOf(crew, ['OPENAI_API_KEY'], apiKey) ?? (baseUrl === undefined ? undefined : 'none');
  if (key !== undefined) return key;
  throw new NodeError(
    'MEMORY_EMBEDDING_FAILED',
    'A memory store got no embedding. There is no API key: write `api_key: ${API_KEY}` under `embedding` and set API_KEY, or set OPENAI_API_KEY where the worker runs.',
  );
}
