import type { Attachment, BudgetRecord, ChatRequest, Terms, WorstCase } from '@millrace/core';
import { attachmentsOf, costOf, tokensOf } from '@millrace/core';
import type { Reader } from './attached-text.ts';
import { attachedTextBound } from './attached-text.ts';

/** Tokens of an answer where neither the workflow nor what is left of the budget says how many. */
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

/** The largest cost of a call, and the limit of its answer. */
export interface BoundedRequest {
  readonly worstCase: WorstCase;
  /** Limit that the request has to set itself, as its params set none. */
  readonly maxTokens?: number;
}

interface CallBudget {
  readonly reader: Reader;
  readonly budget: BudgetRecord;
  readonly terms: Terms | undefined;
}

/** The most that a call can take from a budget. The answer is limited to what is left, where its params set no limit. */
export function worstCase(request: ChatRequest, { reader, budget, terms }: CallBudget): BoundedRequest {
  const promptTokens = promptBound(request, reader);
  const amount = (completionTokens: number): WorstCase => ({
    tokens: tokensOf({ promptTokens, completionTokens }),
    ...(terms === undefined ? {} : { microUsd: costOf({ promptTokens, completionTokens }, terms) }),
  });
  const written = answerBound(request.params);
  if (written !== undefined) return { worstCase: amount(written) };
  const maxTokens = Math.max(shortestAnswer, Math.min(usualAnswer, affordable(budget, amount(0), terms)));
  return { worstCase: amount(maxTokens * answers(request.params)), maxTokens };
}

/**
 * More tokens than a prompt can have for any tokenizer: none makes more tokens than there are bytes, and the JSON around
 * a message is longer than what a provider puts around it.
 */
function promptBound({ provider, messages, tools, params }: ChatRequest, reader: Reader): number {
  // The params of the scripted model are its answers.
  const sent = JSON.stringify({ messages, tools, params: provider === 'scripted' ? undefined : params });
  const attachments = messages
    .flatMap(attachmentsOf)
    .reduce((sum, attachment) => sum + attachmentBound(attachment, reader), 0);
  const callContext = requestOverhead + (tools === undefined && params['tools'] === undefined ? 0 : toolOverhead);
  return Buffer.byteLength(sent) + callContext + attachments;
}

const attachmentBound = (attachment: Attachment, reader: Reader): number => {
  const shown = attachedTextBound(attachment, reader);
  return shown === undefined ? attachmentTokens : shown + textOverhead;
};

/** Estimates the tokens of a call, for limits of tokens in a minute: four bytes of a prompt are a token. */
export const estimateTokens = (request: ChatRequest, reader: Reader): number =>
  Math.ceil(promptBound(request, reader) / 4) + (answerBound(request.params) ?? 0);

/** Returns the number of tokens of an answer that the rest of the budget pays for, after the prompt. */
function affordable({ limit, spent }: BudgetRecord, prompt: WorstCase, terms: Terms | undefined): number {
  const tokens = (limit.tokens ?? Number.POSITIVE_INFINITY) - spent.tokens - prompt.tokens;
  if (limit.microUsd === undefined || terms === undefined) return tokens;
  const rate = Math.max(terms.price.output, terms.price.long?.output ?? 0);
  const money = limit.microUsd - spent.microUsd - (prompt.microUsd ?? 0);
  return Math.min(tokens, rate === 0 ? Number.POSITIVE_INFINITY : Math.floor(money / rate) - 1);
}

/** The words of the providers for the longest answer, and for the number of answers. */
const lengths = ['max_tokens', 'max_completion_tokens', 'max_output_tokens', 'maxOutputTokens'];
const counts = ['n', 'best_of', 'candidate_count', 'candidateCount'];

/** Tokens that all answers together may have by these params; undefined when they do not say. */
function answerBound(params: ChatRequest['params']): number | undefined {
  const longest = largest(params, lengths);
  return longest === undefined ? undefined : longest * answers(params);
}

const answers = (params: ChatRequest['params']): number => Math.max(1, largest(params, counts) ?? 1);

/** The largest of these params, wherever it is in them: the provider may heed any. */
function largest(params: object, names: readonly string[]): number | undefined {
  const found = Object.entries(params).flatMap(([name, value]): number[] => {
    if (names.includes(name) && typeof value === 'number') return [Math.ceil(value)];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    const inner = largest(value, names);
    return inner === undefined ? [] : [inner];
  });
  return found.length === 0 ? undefined : Math.max(...found);
}
