import { retryDelay } from '@millrace/catalog';
import type { ChatReply, ChatRequest, Plan, ProviderDefinition, Tell } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { keyOf } from '../context/reveal-secrets.ts';
import type { Steps } from '../context/steps.ts';
import type { Telling } from '../context/termination-observation.ts';
import type { Crew } from '../context/worker-context.ts';
import type { Reader } from './attached-text.ts';
import { stowed, withContents } from './attachment-contents.ts';
import type { FailedCall } from './failed-call.ts';
import { factsOf, pauseAfter, rest } from './failed-call.ts';
import { assertPriced, priced, priceFor } from './price.ts';
import { rateNewsOf } from './rate-limit-headers.ts';
import type { Place, Turn } from './rate-limit-slot.ts';
import { turnOf } from './rate-limit-slot.ts';
import { likelyTokens, worstCase } from './worst-case.ts';

interface Around {
  readonly telling: Telling;
  readonly steps: Steps;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** For the address of the model's server. */
  readonly fetch: typeof fetch;
  readonly place: Place;
}

/** What one call came to. A failed call is remembered too: it was made, and may have been paid for. */
type Attempt =
  | { readonly type: 'reply'; readonly reply: ChatReply }
  | { readonly type: 'failed'; readonly failed: FailedCall };

/**
 * Asks models until one call works or the request's policy gives up; each call is a step of the activation. A run with
 * a script is answered by that, whatever provider a node names.
 */
export function chatOver(crew: Crew, around: Around): (request: ChatRequest) => Promise<ChatReply> {
  const { plan, signal, telling } = around;
  return async (asked) => {
    const request = plan.script === undefined ? asked : { ...asked, provider: 'scripted', params: plan.script };
    const provider = crew.vocabulary.providers.get(request.provider);
    if (provider === undefined) {
      throw new NodeError('PROVIDER_UNKNOWN', `There is no model provider "${request.provider}".`);
    }
    for (let attempt = 1; ; attempt++) {
      const made = await attemptOnce(crew, { ...around, provider, request, asked });
      if (made.type === 'reply') {
        tell(telling, made.reply);
        return made.reply;
      }
      const { failed } = made;
      const seconds = retryDelay(request.retry, { error: failed, attempt, random: Math.random() });
      if (seconds === undefined) throw new NodeError(failed.code, failed.message, { transient: failed.transient });
      if (made.remembered) continue;
      crew.log.warn({ attempt, seconds, code: failed.code }, 'a model call failed and is made again');
      await rest(crew, seconds * 1000, signal);
    }
  };
}

/** What a reply means to terminations; one that is remembered counts for the attempt that ends. */
function tell(telling: Telling, { usage, toolCalls }: ChatReply): void {
  if (usage !== undefined) telling.spend({ prompt: usage.promptTokens, completion: usage.completionTokens });
  for (const { name, arguments: text } of toolCalls ?? []) telling.note({ kind: 'tool_call_request', name, text });
}

interface Asking extends Around {
  readonly provider: ProviderDefinition;
  readonly request: ChatRequest;
  /** The request as the node made it. */
  readonly asked: ChatRequest;
}

async function attemptOnce(
  crew: Crew,
  { steps, plan, place, signal, fetch, provider, request, asked }: Asking,
): Promise<Attempt & { remembered: boolean }> {
  let remembered = true;
  const { apiKey: _secret, ...visible } = asked;
  const price = priceFor(crew, plan, request);
  const reader = readerOf(plan, request);
  // A provider that counts what it is asked counts what it is shown.
  const counted = provider.tallies === undefined ? request : await shownTo(reader, crew, request);
  const revealed = once(() => revealedFor(crew, provider, request));
  const turn = once(() =>
    provider.type === 'scripted'
      ? undefined
      : turnOf(crew, { asked: revealed(), tokens: likelyTokens(request, reader), plan, place, signal }),
  );
  let maxTokens: number | undefined;
  const made = await steps.take<Attempt>({
    name: `chat ${request.model}`,
    model: { provider: request.provider, name: request.model },
    request: visible,
    tallies: (read) => provider.tallies?.(counted, read) ?? {},
    turn: async (who) => turn()?.take(who),
    worst(budget) {
      if (budget === undefined) return 'unlimited';
      assertPriced(budget, price, request.model);
      const bounded = worstCase(request, { reader, budget, price });
      ({ maxTokens } = bounded);
      return bounded.worst;
    },
    async action(counts, tell) {
      remembered = false;
      const sent = maxTokens === undefined ? revealed() : limited(revealed(), maxTokens);
      const value = await call(crew, provider, { request: sent, reader, counts, signal, fetch, tell, turn: turn() });
      if (value.type === 'failed')
        return { value, failed: true, ...(value.failed.free === undefined ? {} : { free: true }) };
      const { usage } = value.reply;
      return usage === undefined ? { value } : { value, usage: priced(usage, price) };
    },
  });
  return { ...made, remembered };
}

/** Every provider knows the limit by this name. */
const limited = (request: ChatRequest, maxTokens: number): ChatRequest => ({
  ...request,
  params: { ...request.params, max_output_tokens: maxTokens },
});

function revealedFor(crew: Crew, provider: ProviderDefinition, request: ChatRequest): ChatRequest {
  const { apiKey, ...visible } = request;
  // A provider that knows no key is given none.
  const { keyVariables } = provider;
  const key = keyVariables === undefined ? undefined : keyOf(crew, keyVariables, apiKey);
  return key === undefined ? visible : { ...visible, apiKey: key };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

const readerOf = ({ compat }: Plan, { provider, tools = [] }: ChatRequest): Reader => ({
  compat,
  provider,
  tools: tools.map(({ name }) => name),
});

const shownTo = async (reader: Reader, { runs }: Crew, request: ChatRequest): Promise<ChatRequest> => ({
  ...request,
  messages: await withContents(runs.blobs, request.messages, reader),
});

interface Call {
  readonly request: ChatRequest;
  readonly reader: Reader;
  readonly counts: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  readonly tell: Tell;
  readonly turn: Turn | undefined;
}

async function call(
  crew: Crew,
  provider: ProviderDefinition,
  { request, reader, turn, ...around }: Call,
): Promise<Attempt> {
  const heard = (headers: Headers) => {
    const news = rateNewsOf(headers, Date.now());
    if (news !== undefined) turn?.learn(news);
  };
  const whole = await shownTo(reader, crew, request);
  try {
    const reply = await provider.chat(whole, { ...around, heard });
    if (reply.usage !== undefined) turn?.correct(reply.usage.promptTokens + reply.usage.completionTokens);
    const { blocks } = reply;
    return {
      type: 'reply',
      reply:
        blocks === undefined ? reply : { ...reply, blocks: await stowed(crew.runs.blobs, crew.mask.hideIn(blocks)) },
    };
  } catch (error) {
    if (around.signal.aborted || !(error instanceof NodeError)) throw error;
    const failed = factsOf(error);
    const pauseMs = pauseAfter(failed);
    if (pauseMs !== undefined) turn?.learn({ pauseMs });
    return { type: 'failed', failed };
  }
}
