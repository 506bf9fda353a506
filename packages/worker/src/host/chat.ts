import { retryDelay } from '@millrace/catalog';
import type { ChatReply, ChatRequest, Plan, Price, ProviderDefinition, Tell, Usage } from '@millrace/core';
import { costOf, NodeError, priceOf } from '@millrace/core';
import type { Crew } from '../crew.ts';
import type { Telling } from '../telling.ts';
import { withContents } from './contents.ts';
import { pause } from './pause.ts';
import { Postponed } from './postponed.ts';
import { rateNewsOf } from './rate-news.ts';
import { reveal } from './reveal.ts';
import type { Steps } from './step.ts';
import type { Turn } from './turn.ts';
import { longestWaitMs, turnOf } from './turn.ts';
import { worstCase } from './worst-case.ts';

interface Around {
  readonly telling: Telling;
  readonly steps: Steps;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** For the address of the model's server. */
  readonly fetch: typeof fetch;
}

/** What one call came to. A failed call is remembered too: it was made, and may have been paid for. */
type Attempt =
  | { readonly type: 'reply'; readonly reply: ChatReply }
  | { readonly type: 'failed'; readonly failed: FailedCall };

/** As much of an error as the retry policy and people need. */
interface FailedCall {
  readonly code: string;
  readonly message: string;
  readonly transient: boolean;
  readonly status?: number;
  readonly types?: readonly string[];
  readonly retryAfterSeconds?: number;
  readonly free?: true;
}

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

/** Waits here for a short time, or elsewhere for a longer one. */
async function rest(crew: Crew, ms: number, signal: AbortSignal): Promise<void> {
  if (ms > longestWaitMs) throw new Postponed(crew.runs.now() + ms);
  await pause(ms, signal);
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
  { steps, plan, signal, fetch, provider, request, asked }: Asking,
): Promise<Attempt & { remembered: boolean }> {
  let remembered = true;
  const { apiKey: _secret, ...visible } = asked;
  const price = priceFor(crew, plan, request);
  const revealed = once(() => revealedFor(crew, provider, request));
  const turn = once(() =>
    provider.type === 'scripted' ? undefined : turnOf(crew, { request: revealed(), plan, signal }),
  );
  let maxTokens: number | undefined;
  const made = await steps.take<Attempt>({
    name: `chat ${request.model}`,
    request: visible,
    tallies: (read) => provider.tallies?.(request, read) ?? {},
    turn: async (who) => turn()?.take(who),
    worst(budget) {
      if (budget === undefined) return 'unlimited';
      if (budget.limit.microUsd !== undefined && price === undefined) throw unknownPrice(request);
      const bounded = worstCase(request, { budget, price });
      ({ maxTokens } = bounded);
      return bounded.worst;
    },
    async action(counts, tell) {
      remembered = false;
      const sent = maxTokens === undefined ? revealed() : limited(revealed(), maxTokens);
      const value = await call(crew, provider, { request: sent, counts, signal, fetch, tell, turn: turn() });
      if (value.type === 'failed')
        return { value, failed: true, ...(value.failed.free === undefined ? {} : { free: true }) };
      const { usage } = value.reply;
      return usage === undefined ? { value } : { value, usage: price === undefined ? usage : priced(usage, price) };
    },
  });
  return { ...made, remembered };
}

/** Every provider knows the limit by this name. */
const limited = (request: ChatRequest, maxTokens: number): ChatRequest => ({
  ...request,
  params: { ...request.params, max_output_tokens: maxTokens },
});

/** The price of what is asked. A script costs nothing, unless the workflow wants to know what it would. */
function priceFor({ prices }: Crew, plan: Plan, { provider, model }: ChatRequest): Price | undefined {
  const own = plan.prices ?? {};
  return provider === 'scripted'
    ? (priceOf(model, [own]) ?? { input: 0, output: 0 })
    : priceOf(model, [own, ...prices]);
}

const priced = (usage: Usage, price: Price): Usage => ({ microUsd: costOf(price, usage), ...usage });

const unknownPrice = ({ model }: ChatRequest): NodeError =>
  new NodeError(
    'PRICE_UNKNOWN',
    `The run has a budget in US dollars, and nobody knows the price of the model "${model}". Write it under \`prices\` of the graph, or in the file that MILLRACE_PRICES names.`,
  );

function revealedFor(crew: Crew, provider: ProviderDefinition, request: ChatRequest): ChatRequest {
  const { apiKey, ...visible } = request;
  const key = keyOf(crew, provider, apiKey);
  return key === undefined ? visible : { ...visible, apiKey: key };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

interface Call {
  readonly request: ChatRequest;
  readonly counts: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  readonly tell: Tell;
  readonly turn: Turn | undefined;
}

async function call(crew: Crew, provider: ProviderDefinition, { request, turn, ...around }: Call): Promise<Attempt> {
  const heard = (headers: Headers) => {
    const news = rateNewsOf(headers, Date.now());
    if (news !== undefined) turn?.learn(news);
  };
  const whole = { ...request, messages: await withContents(crew.runs.blobs, request.messages) };
  try {
    const reply = await provider.chat(whole, { ...around, heard });
    if (reply.usage !== undefined) turn?.correct(reply.usage.promptTokens + reply.usage.completionTokens);
    return { type: 'reply', reply };
  } catch (error) {
    if (around.signal.aborted || !(error instanceof NodeError)) throw error;
    const failed = factsOf(error);
    if (failed.status === 429)
      turn?.learn({ pauseMs: Math.min(longestPauseMs, (failed.retryAfterSeconds ?? 1) * 1000) });
    return { type: 'failed', failed };
  }
}

/** The key as it is now where the worker runs. A provider that knows no key is given none. */
function keyOf(
  { secret }: Crew,
  { keyVariables }: ProviderDefinition,
  written: string | undefined,
): string | undefined {
  if (keyVariables === undefined) return undefined;
  if (written !== undefined) return reveal(written, secret);
  return keyVariables.map(secret).find((value) => value !== undefined && value !== '');
}
/** Longer pauses are not kept, so that nobody else can stop a run for hours. */
const longestPauseMs = 60_000;

function factsOf(error: NodeError & Partial<FailedCall>): FailedCall {
  const { code, message, transient, status, types, retryAfterSeconds, free } = error;
  return {
    code,
    message,
    transient,
    ...(status === undefined ? {} : { status }),
    ...(types === undefined ? {} : { types }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(free === undefined ? {} : { free }),
  };
}
