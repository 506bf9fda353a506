import type {
  Attachment,
  BudgetRecord,
  ChatMessage,
  ChatRequest,
  ModelProfile,
  Terms,
  Usage,
  WorstCase,
} from '@millrace/core';
import { attachmentsOf, isMapping, mostCostOf, NodeError, tokensOf } from '@millrace/core';
import type { Reader } from './attached-text.ts';
import { attachedTextBound } from './attached-text.ts';
import { providerTools } from './provider-tools.ts';
import { assertModalities, dearestTier, hasMedia, neededTier, writesOf } from './request-rates.ts';

/** Tokens of an answer where neither the workflow, the model, nor what is left of the budget says how many. */
const usualAnswer = 4096;
/** An answer that must be shorter than this is not worth asking for. */
const shortestAnswer = 256;
/** Tokens that providers add around a request, and around tools. */
const requestOverhead = 64;
const toolOverhead = 1000;
/** No provider counts more for one picture, recording or file of usual size. */
const attachmentTokens = 50_000;
/** Bytes that are shown around the text of an attachment, its name and path included. */
const textOverhead = 1500;

/** The largest cost of a call, and what the request has to set so that it costs no more. */
export interface BoundedRequest {
  readonly worstCase: WorstCase;
  /** Limit of the answer, as its params set none. */
  readonly maxTokens?: number;
  /** Service tier, as its params name none. */
  readonly tier?: string;
  /** Its params, with limits for the tools of the provider. */
  readonly params: ChatRequest['params'];
}

/** A request that the provider has answered, with the tokens that it counted. */
export interface CountedRequest {
  readonly request: ChatRequest;
  readonly usage: Usage;
}

interface CallBudget {
  readonly reader: Reader;
  readonly budget: BudgetRecord;
  /** Terms of the models that may answer; none: their price is not needed, or not known. */
  readonly terms: readonly Terms[];
  readonly profile: ModelProfile;
  /** The last request of the activation. */
  readonly last?: CountedRequest | undefined;
}

/**
 * The most that a call can take from a budget: every token at the dearest rate that the request can cause. The answer
 * is limited to what is left, where its params set no limit. Throws a NodeError for a call without a bound.
 */
export function worstCase(request: ChatRequest, { reader, budget, terms, profile, last }: CallBudget): BoundedRequest {
  const hosted = providerTools(request, profile);
  const promptTokens = hosted === undefined ? promptBound(request, { reader, last }) : contextOf(request, profile);
  const rates = {
    promptTokens,
    searches: hosted?.searches ?? 0,
    writes: writesOf(request, profile, JSON.stringify([request.messages, request.params])),
    media: hasMedia(request),
  };
  const isMoney = budget.limit.microUsd !== undefined;
  if (isMoney) for (const { price } of terms) assertModalities(request, price);
  const costs = (completionTokens: number) =>
    terms.map((one) =>
      mostCostOf({ ...rates, completionTokens, tier: isMoney ? dearestTier(request, profile, one.price) : 1 }, one),
    );
  const amount = (completionTokens: number): WorstCase => ({
    tokens: tokensOf({ promptTokens, completionTokens }),
    ...(terms.length === 0 ? {} : { microUsd: Math.max(...costs(completionTokens)) }),
  });
  const tier = isMoney ? neededTier(request, profile) : undefined;
  const set = { params: hosted?.params ?? request.params, ...(tier === undefined ? {} : { tier }) };
  const written = writtenLimit(request, profile);
  if (written === 'unbounded') throw unboundedAnswer(request);
  const count = answers(request.params);
  if (written?.isRead) return { ...set, worstCase: amount(written.tokens * count) };
  const usual = request.limit ?? profile.usual_limit ?? usualAnswer;
  const maxTokens = Math.max(shortestAnswer, Math.min(usual, affordable(budget, amount)));
  return { ...set, worstCase: amount(Math.max(maxTokens, written?.tokens ?? 0) * count), maxTokens };
}

const unboundedAnswer = ({ model }: ChatRequest): NodeError =>
  new NodeError(
    'PRICE_UNBOUNDED',
    `The run has a budget, but the params of the model "${model}" give its answer no bound: a length or a number of answers in them is no number, negative, or over a billion. Write the number of tokens, or leave it out.`,
  );

/** Returns the tokens that the prompt has at most once tools of the provider have added their results to it. */
function contextOf({ model }: ChatRequest, { input_limit, context }: ModelProfile): number {
  const most = input_limit ?? context;
  if (most !== undefined) return most;
  throw new NodeError(
    'PRICE_UNBOUNDED',
    `The run has a budget, but a call of the model "${model}" has no bound: its provider runs tools that add to the prompt, and the size of its context is not known. Write \`context\` of the model in the file that MILLRACE_MODELS names, or leave the tools out.`,
  );
}

interface PromptContext {
  readonly reader: Reader;
  readonly last?: CountedRequest | undefined;
}

/** More tokens than a prompt can have: by what the provider counted for the last one if it begins like that, or else its bytes. */
const promptBound = (request: ChatRequest, context: PromptContext): number =>
  countedBound(request, context) ?? bytesBound(request, context.reader);

/**
 * More tokens than a prompt can have for any tokenizer: none makes more tokens than there are bytes, and the JSON around
 * a message is longer than what a provider puts around it.
 */
function bytesBound({ provider, messages, tools, output, params }: ChatRequest, reader: Reader): number {
  // The params of the scripted model are its answers. Providers describe the form of an answer to the model, too, in more words.
  const forms = output === undefined ? undefined : [output, output];
  const sent = JSON.stringify({ messages, tools, forms, params: provider === 'scripted' ? undefined : params });
  const hasTools = tools !== undefined || output !== undefined || params['tools'] !== undefined;
  const callContext = requestOverhead + (hasTools ? toolOverhead : 0);
  return Buffer.byteLength(sent) + callContext + attachmentsBound(messages, reader);
}

/**
 * Returns the bound of a prompt of which the last one had a part: the provider counted the last prompt and its answer, thoughts
 * included, messages that are left out make it no longer, and each byte of a message that is new is at most a token. Undefined if
 * the request begins with another message than the last one, or differs in more than its messages.
 */
function countedBound(request: ChatRequest, { reader, last }: PromptContext): number | undefined {
  if (last === undefined) return undefined;
  const { request: before, usage } = last;
  if (conditionsOf(before) !== conditionsOf(request)) return undefined;
  if (JSON.stringify(before.messages[0]) !== JSON.stringify(request.messages[0])) return undefined;
  const added = newMessages(before.messages, request.messages);
  return tokensOf(usage) + requestOverhead + Buffer.byteLength(JSON.stringify(added)) + attachmentsBound(added, reader);
}

/** Returns the messages of a conversation that another one does not have, or not as often. */
function newMessages(before: readonly ChatMessage[], now: readonly ChatMessage[]): readonly ChatMessage[] {
  const counted = new Map<string, number>();
  for (const message of before) {
    const json = JSON.stringify(message);
    counted.set(json, (counted.get(json) ?? 0) + 1);
  }
  return now.filter((message) => {
    const json = JSON.stringify(message);
    const left = counted.get(json) ?? 0;
    counted.set(json, left - 1);
    return left <= 0;
  });
}

/** Returns all on which the tokens of a conversation depend beside its messages. */
const conditionsOf = ({ provider, model, baseUrl, tools, output, params }: ChatRequest): string =>
  JSON.stringify([provider, model, baseUrl, tools, output, provider === 'scripted' ? undefined : params]);

const attachmentsBound = (messages: readonly ChatMessage[], reader: Reader): number =>
  messages.flatMap(attachmentsOf).reduce((sum, attachment) => sum + attachmentBound(attachment, reader), 0);

const attachmentBound = (attachment: Attachment, reader: Reader): number => {
  const shown = attachedTextBound(attachment, reader);
  return shown === undefined ? attachmentTokens : shown + textOverhead;
};

/** Estimates the tokens of a call, for limits of tokens in a minute: four bytes of a prompt are a token. */
export function estimateTokens(request: ChatRequest, reader: Reader): number {
  const written = writtenLimit(request);
  const answer = written === 'unbounded' ? 0 : (written?.tokens ?? 0) * answers(request.params);
  return Math.ceil(bytesBound(request, reader) / 4) + answer;
}

/** Number of tokens that show the rate of an answer exactly. */
const rateTokens = 1_000_000;

/** Returns the number of tokens of an answer that the rest of the budget pays for, after the prompt. */
function affordable({ limit, spent }: BudgetRecord, amount: (completionTokens: number) => WorstCase): number {
  const prompt = amount(0);
  const tokens = (limit.tokens ?? Number.POSITIVE_INFINITY) - spent.tokens - prompt.tokens;
  if (limit.microUsd === undefined || prompt.microUsd === undefined) return tokens;
  const rate = ((amount(rateTokens).microUsd ?? 0) - prompt.microUsd) / rateTokens;
  const money = limit.microUsd - spent.microUsd - prompt.microUsd;
  return Math.min(tokens, rate === 0 ? Number.POSITIVE_INFINITY : Math.floor(money / rate) - 1);
}

/** The words of the providers for the longest answer, and for the number of answers, without underscores and in lower case. */
const lengths: ReadonlySet<string> = new Set(['maxtokens', 'maxcompletiontokens', 'maxoutputtokens']);
const counts: ReadonlySet<string> = new Set(['n', 'bestof', 'candidatecount']);

/** The largest length, and the largest number of answers, that bounds anything; servers read `-1` as no limit, for example. */
const mostBound = 1_000_000_000;

/** The limit of an answer that params have. */
interface WrittenLimit {
  /** The largest number of them all. */
  readonly tokens: number;
  /** One of them is where the provider certainly reads it, so that the request gets no other one. */
  readonly isRead: boolean;
}

/** Returns the limit of each answer by the params of a request; undefined when they have none. */
function writtenLimit(request: ChatRequest, profile?: ModelProfile): WrittenLimit | 'unbounded' | undefined {
  const isStrict = ['openai', 'anthropic', 'gemini'].includes(request.provider);
  const written = fieldsIn(request.params, lengths).filter(({ value }) => isStrict || isNumber(value));
  const numbers = written.map(({ value }) => (isNumber(value) ? Math.ceil(Number(value)) : Number.NaN));
  if (![...numbers, ...countsIn(request.params)].every((one) => one >= 0 && one <= mostBound)) return 'unbounded';
  if (written.length === 0) return undefined;
  const isRead = !isStrict || written.some(({ path }) => readsLimit(request, profile, path));
  return { tokens: Math.max(...numbers), isRead };
}

/** Returns whether the limit of an answer at this place of the params is one for the provider, whatever the model. */
function readsLimit({ provider, params }: ChatRequest, profile: ModelProfile | undefined, path: string): boolean {
  // These mean the same for all providers.
  if (path === 'max_tokens' || path === 'max_output_tokens') return true;
  if (provider === 'gemini') return camelCase(path) === 'maxOutputTokens';
  if (provider !== 'openai') return false;
  const { protocol } = params;
  if (path === 'extra_body.max_output_tokens') return protocol === 'responses';
  if (path === 'max_completion_tokens') return protocol !== 'responses';
  const isChat = protocol === 'chat' || (protocol == null && profile?.protocol !== 'responses');
  return isChat && (path === 'extra_body.max_tokens' || path === 'extra_body.max_completion_tokens');
}

/** Returns a name as params for Gemini are sent. */
const camelCase = (name: string): string =>
  name.replaceAll(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

const answers = (params: ChatRequest['params']): number => Math.max(1, ...countsIn(params));

const countsIn = (params: ChatRequest['params']): readonly number[] =>
  fieldsIn(params, counts).flatMap(({ value }) => (isNumber(value) ? [Math.ceil(Number(value))] : []));

interface Field {
  /** Its name after those of the mappings that it is in, each with a dot. */
  readonly path: string;
  readonly value: unknown;
}

/** Returns the fields with these names, wherever they are: the provider may heed any. A param that is null is not sent. */
const fieldsIn = (params: object, names: ReadonlySet<string>, parents = ''): readonly Field[] =>
  Object.entries(params).flatMap(([name, value]): readonly Field[] => {
    if (isMapping(value)) return fieldsIn(value, names, `${parents}${name}.`);
    if (!names.has(name.replaceAll('_', '').toLowerCase()) || (value === null && parents === '')) return [];
    return [{ path: `${parents}${name}`, value }];
  });

/** Returns whether a server may read a value as a number: some take it from a text, as variables of the environment are. */
const isNumber = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '' && !Number.isNaN(Number(value)));
