import { createHash } from 'node:crypto';
import { retryDelaySeconds } from '@millrace/catalog';
import type {
  AskedModel,
  ChatReply,
  ChatRequest,
  EmitChunk,
  ModelProfile,
  Plan,
  ProviderCall,
  ProviderDefinition,
  RunId,
  Sleep,
  Usage,
  Warning,
  WorstCase,
} from '@millrace/core';
import {
  addWarning,
  formatDollars,
  isAboveWorstCase,
  NodeError,
  omitUndefined,
  tenantOf,
  tokensOf,
} from '@millrace/core';
import { apiKeyFor } from '../context/secrets.ts';
import type { Steps } from '../context/steps.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import type { Reader } from './attached-text.ts';
import { storeAttachments, withAttachmentContents } from './attachment-contents.ts';
import { failedModelCallOf, rateLimitDelayMs, waitBeforeRetry } from './failed-call.ts';
import type { Asked } from './fallback.ts';
import { withFallback, withWarnings } from './fallback.ts';
import { assertPriced, boundTermsOf, termsOf, withCost } from './price.ts';
import { askedModelOf, profileFor } from './profile.ts';
import { parseRateLimitHeaders } from './rate-limit-headers.ts';
import type { ModelCallSite, RateLimitSlot } from './rate-limit-slot.ts';
import { rateLimitSlotFor } from './rate-limit-slot.ts';
import { requestIdentity } from './request-identity.ts';
import type { BoundedRequest, CountedRequest } from './worst-case.ts';
import { estimateTokens, worstCase } from './worst-case.ts';

interface ChatContext {
  /** Called with the reply that the call ends with; a remembered one counts for the attempt that reads it. */
  readonly onReply: (reply: ChatReply) => void;
  readonly steps: Steps;
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** Waits between two calls. */
  readonly sleep: Sleep;
  /** For the address of the model's server. */
  readonly fetch: typeof fetch;
  readonly place: ModelCallSite;
}

/**
 * Asks models until one call works or the policies of all models of a request give up; each call is a step of the activation.
 */
export function createChat(
  worker: WorkerContext,
  callContext: ChatContext,
): (request: ChatRequest) => Promise<ChatReply> {
  let last: CountedRequest | undefined;
  return withFallback({
    onReply: callContext.onReply,
    async ask(asked, insteadOf) {
      const { request, made } = await askModel(worker, callContext, { asked, insteadOf, last });
      if (made.type === 'reply' && made.reply.usage !== undefined) last = { request, usage: made.reply.usage };
      return made;
    },
  });
}

interface ModelCallInput {
  /** The request as the node made it, for one of its models. */
  readonly asked: ChatRequest;
  /** The model of the node, if this one is asked in its place. */
  readonly insteadOf: string | undefined;
  /** The last request of the activation that was answered. */
  readonly last: CountedRequest | undefined;
}

/** What the last attempt at a model came to, with the request that was sent. */
interface AskedRequest {
  readonly request: ChatRequest;
  readonly made: Asked;
}

/**
 * Asks one model until a call works or the policy of the request gives up. A run with a script is answered by that, whatever
 * provider a node names.
 */
async function askModel(worker: WorkerContext, context: ChatContext, input: ModelCallInput): Promise<AskedRequest> {
  const { plan } = context;
  const { asked } = input;
  const request = plan.script === undefined ? asked : { ...asked, provider: 'scripted', params: plan.script };
  const provider = worker.vocabulary.providers.get(request.provider);
  if (provider === undefined) {
    throw new NodeError('PROVIDER_UNKNOWN', `There is no model provider "${request.provider}".`);
  }
  for (let attempt = 1; ; attempt++) {
    const { made, remembered } = await attemptOnce(worker, context, { provider, request, input });
    if (made.type === 'reply') return { request, made };
    const { failed } = made;
    const seconds = retryDelaySeconds(request.retry, { error: failed, attempt, random: Math.random() });
    if (seconds === undefined) return { request, made };
    if (remembered) continue;
    worker.log.warn({ attempt, seconds, code: failed.code }, 'a model call failed and is retried');
    await waitBeforeRetry(worker, seconds * 1000, context);
  }
}

interface ChatCallInput {
  readonly provider: ProviderDefinition;
  readonly request: ChatRequest;
  readonly input: ModelCallInput;
}

async function attemptOnce(
  worker: WorkerContext,
  { steps, plan, place, signal, sleep: pause, fetch }: ChatContext,
  { provider, request: wanted, input: { asked, insteadOf, last } }: ChatCallInput,
): Promise<{ readonly made: Asked; readonly remembered: boolean }> {
  let remembered = true;
  const model = askedModelOf(provider, wanted);
  // A call is billed as it was reserved, also if the table of models is updated meanwhile.
  const known = worker.models();
  const tables = { models: () => known };
  const profile = profileFor(tables, plan, model);
  const request = withinOutput(wanted, profile);
  const reader = readerOf(plan, request);
  // A provider that counts what it is asked counts what it is shown.
  const showing = provider.tallies === undefined ? request : shownTo(reader, worker, request);
  const counted = showing instanceof Promise ? await showing : showing;
  const revealed = once(() => revealedFor(worker, provider, request));
  const slot = once(() =>
    provider.type === 'scripted'
      ? undefined
      : rateLimitSlotFor(worker, {
          asked: revealed(),
          tokens: estimateTokens(request, reader),
          plan,
          place,
          signal,
          sleep: pause,
        }),
  );
  let bounded: BoundedRequest | undefined;
  let isMoney = false;
  const made = await steps.run<Asked>({
    name: `chat ${request.model}`,
    model: { provider: request.provider, name: request.model },
    insteadOf,
    request: withoutKey(asked),
    chat: asked,
    identity: requestIdentity(asked),
    effect: 'model',
    tallies: (read) => provider.tallies?.(counted, read) ?? {},
    acquireSlot: provider.type === 'scripted' ? undefined : async (callKey) => slot()?.acquire(callKey),
    worstCase(budget) {
      if (budget === undefined) return 'unlimited';
      assertPriced(budget, termsOf(tables, plan, model), request.model);
      isMoney = budget.limit.microUsd !== undefined;
      const possible = boundTermsOf(tables, plan, model, worker.runs.now());
      bounded = worstCase(request, { reader, budget, terms: possible, profile, last });
      return { ...bounded.worstCase, model: request.model };
    },
    async action(counts, { emit, sleep }) {
      remembered = false;
      const { request: sent, engine } = limited(revealed(), bounded);
      const attempt = {
        request: sent,
        engine,
        profile,
        cacheKey: cacheKeyOf(plan, place),
        reader,
        counts,
        signal,
        fetch,
        emit,
        sleep,
        slot: slot(),
        run: place.run,
      };
      const value = await call(worker, provider, attempt);
      if (value.type === 'failed')
        return { value, failed: true, ...(value.failed.free === undefined ? {} : { free: true }) };
      const reply = withContext(value.reply, request, profile);
      if (reply.usage === undefined) return { value: { type: 'reply', reply } };
      const usage = withCost(tables, plan, { params: request.params, ...model }, reply.usage);
      const warned = withWarnings(reply, billWarnings(model, { usage, bounded, isMoney }));
      return { value: { type: 'reply', reply: warned }, usage, model: request.model };
    },
  });
  return { made, remembered };
}

/** Returns a name of the prompts of a node: those of its tenant, whatever the run. */
const cacheKeyOf = ({ graphs }: Plan, { run, graph, node }: ModelCallSite): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantOf(run), graphs.get('')?.id, graph, node]))
    .digest('hex')
    .slice(0, 32);

/** Returns a request whose limit is not above what the model can answer. */
const withinOutput = (request: ChatRequest, { output }: ModelProfile): ChatRequest =>
  request.limit === undefined || output === undefined
    ? request
    : { ...request, limit: Math.min(request.limit, output) };

/** Returns a reply with the context of its model: a conversation with tools is kept within it, later attempts alike. */
function withContext(reply: ChatReply, { tools }: ChatRequest, profile: ModelProfile): ChatReply {
  const most = Math.min(profile.context ?? Number.POSITIVE_INFINITY, profile.input_limit ?? Number.POSITIVE_INFINITY);
  return tools === undefined || most === Number.POSITIVE_INFINITY ? reply : { ...reply, context: most };
}

/** Returns a request with what its bound depends on, as far as its author has not written it. */
function limited(request: ChatRequest, bounded: BoundedRequest | undefined): Pick<Call, 'request' | 'engine'> {
  if (bounded === undefined)
    return { request, engine: request.limit === undefined ? undefined : { maxTokens: request.limit } };
  const { params, maxTokens, tier } = bounded;
  return { request: { ...request, params }, engine: omitUndefined({ maxTokens, tier }) };
}

interface BilledCall {
  readonly usage: Usage;
  /** Absent: the run has no budget. */
  readonly bounded: BoundedRequest | undefined;
  /** The budget is in US dollars. */
  readonly isMoney: boolean;
}

/** Returns the problems of a bill that the budget of the run has to pay. */
function billWarnings({ model, baseUrl }: AskedModel, { usage, bounded, isMoney }: BilledCall): readonly Warning[] {
  if (bounded === undefined) return [];
  const { worstCase: most } = bounded;
  const warnings: Warning[] = [];
  if (isMoney && usage.rates === 'assumed') {
    const message = `The budget in US dollars counts "${model}" at the list price of its vendor, but ${baseUrl} is another host. Write what this host charges under \`prices\` of the graph.`;
    warnings.push({ code: 'W_PRICE_ASSUMED', message });
  }
  if (isAboveWorstCase(most, usage)) {
    const taken = amountText({ tokens: tokensOf(usage), ...omitUndefined({ microUsd: usage.microUsd }) });
    const message = `A call of the model "${model}" took ${taken} from the budget, more than the ${amountText(most)} that were reserved as its worst case. Compare its price with that of the provider.`;
    warnings.push({ code: 'W_COST_ABOVE_BOUND', message });
  }
  return warnings;
}

const amountText = ({ tokens, microUsd }: WorstCase): string =>
  `${microUsd === undefined ? '' : `${formatDollars(microUsd)} and `}${tokens} tokens`;

function revealedFor(worker: WorkerContext, provider: ProviderDefinition, request: ChatRequest): ChatRequest {
  // A provider that knows no key is given none.
  const { keyVariables } = provider;
  const key = keyVariables === undefined ? undefined : apiKeyFor(worker, keyVariables, request.apiKey);
  // Before the spread, as a field that is added after one takes much longer.
  return key === undefined ? withoutKey(request) : { apiKey: key, ...withoutKey(request) };
}

function withoutKey(request: ChatRequest): ChatRequest {
  if (request.apiKey === undefined) return request;
  const { apiKey: _secret, ...visible } = request;
  return visible;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** A model to which attachments are shown, and the warnings about them. */
interface WarnedReader extends Reader {
  readonly warnings: readonly Warning[];
}

function readerOf({ compat }: Plan, { provider, tools = [] }: ChatRequest): WarnedReader {
  const warnings: Warning[] = [];
  const warn = (warning: Warning): void => addWarning(warnings, warning);
  return { compat, provider, tools: tools.map(({ name }) => name), warn, warnings };
}

/** Returns a request with the contents of its attachments; synchronously when it has none. */
function shownTo(reader: Reader, { runs }: WorkerContext, request: ChatRequest): ChatRequest | Promise<ChatRequest> {
  if (request.messages.every(({ content }) => typeof content === 'string')) return request;
  return withAttachmentContents(runs.blobs, request.messages, reader).then((messages) => ({ ...request, messages }));
}

interface Call extends Pick<ProviderCall, 'profile' | 'cacheKey'> {
  readonly request: ChatRequest;
  readonly engine: ProviderCall['engine'];
  readonly reader: WarnedReader;
  readonly counts: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
  readonly emit: EmitChunk;
  readonly sleep: Sleep;
  readonly slot: RateLimitSlot | undefined;
  /** The run to which contents of the reply belong. */
  readonly run: RunId;
}

async function call(
  worker: WorkerContext,
  provider: ProviderDefinition,
  { request, engine, profile, cacheKey, reader, counts, signal, fetch, emit, sleep, slot, run }: Call,
): Promise<Asked> {
  const onHeaders = (headers: Headers) => {
    const limits = parseRateLimitHeaders(headers, Date.now());
    if (limits !== undefined) slot?.reportLimits(limits);
  };
  const providerCall: ProviderCall = { engine, profile, cacheKey, counts, signal, fetch, emit, sleep, onHeaders };
  const showing = shownTo(reader, worker, request);
  const whole = showing instanceof Promise ? await showing : showing;
  try {
    const reply = await provider.chat(whole, providerCall);
    if (reply.usage !== undefined) slot?.reportUsage(tokensOf(reply.usage));
    const { blocks } = reply;
    const warned = withWarnings(reply, reader.warnings);
    if (blocks === undefined) return { type: 'reply', reply: warned };
    const stored = await storeAttachments(worker.runs.blobsFor(run), worker.mask.hideIn(blocks));
    return { type: 'reply', reply: { ...warned, blocks: stored } };
  } catch (error) {
    if (signal.aborted || !(error instanceof NodeError)) throw error;
    const failed = failedModelCallOf(error);
    const retryAfterMs = rateLimitDelayMs(failed);
    if (retryAfterMs !== undefined) slot?.reportLimits({ retryAfterMs });
    return { type: 'failed', failed };
  }
}
