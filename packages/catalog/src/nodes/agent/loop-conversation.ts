import type { ChatMessage, ChatReply, Host } from '@millrace/core';
import { attachmentsOf, NodeError, textOf, tokensOf } from '@millrace/core';
import type { ContextConfig } from './context-config.ts';

/*
 * The conversation of an agent with tools, as its model is asked, kept within the context of the model: before a request
 * that would pass a share of it, the oldest results of tools become one line each, or the older rounds a summary.
 *
 * All that is decided here follows from the journal: the tokens that the provider counted for the last reply, the context that
 * was recorded with it, and the messages since. So another attempt, a replay and a fork decide the same. What is done is a
 * step, `compact`, whose result is obeyed. Much is cleared at once, as a provider's cache keeps what stands before the first
 * change only.
 */

/** A result of a tool that may be cleared. */
export interface ClearableResult {
  /** Number of the call in the activation, from 1. */
  readonly call: number;
  readonly tool: string;
  /** The call may be made again for its result alone: it has no lasting effect, and asks nobody. */
  readonly isRepeatable: boolean;
}

/** A message of a round. */
export interface RoundMessage {
  readonly message: ChatMessage;
  /** The call whose result it is, if that may be cleared. */
  readonly result?: ClearableResult;
}

/** A reply with calls, and the messages that follow from it. */
export interface Round {
  readonly reply: ChatMessage;
  readonly results: readonly RoundMessage[];
}

/** A reply, and the messages that it answers. */
export interface Answered {
  readonly reply: ChatReply;
  readonly asked: readonly ChatMessage[];
}

/** A conversation with tools. */
export interface LoopConversation {
  /** Asks the model for a whole reply; `none` keeps it from calling tools. */
  ask(toolChoice?: 'none'): Promise<Answered>;
  /** Adds a reply with calls, and their results. */
  add(round: Round): void;
}

/** What a conversation needs. */
export interface ConversationOptions {
  readonly host: Pick<Host, 'step'>;
  /** The messages before the model's first reply, which stay as they are. */
  readonly start: readonly ChatMessage[];
  /** Absent: it stays whole. */
  readonly context: ContextConfig | undefined;
  ask(messages: readonly ChatMessage[], toolChoice?: 'none'): Promise<ChatReply>;
  /** Asks for a summary. */
  summarize(messages: readonly ChatMessage[]): Promise<ChatReply>;
}

/** Opens a conversation with its first messages. */
export function openConversation(options: ConversationOptions): LoopConversation {
  const { start, context, ask } = options;
  if (context === undefined) return wholeConversation(options);
  const state: State = { ...options, context, opening: start, rounds: [], tokens: sumOf(start), limit: undefined };
  return {
    async ask(toolChoice) {
      await shorten(state);
      for (;;) {
        const asked = messagesOf(state);
        try {
          const reply = await ask(asked, toolChoice);
          note(state, reply);
          return { reply, asked };
        } catch (error) {
          if (!(error instanceof NodeError) || error.code !== full) throw error;
          await makeRoom(state, error);
        }
      }
    },
    add({ reply, results }) {
      state.rounds.push({ reply, results });
      state.tokens += sumOf(results.map(({ message }) => message));
    },
  };
}

function wholeConversation({ start, ask }: ConversationOptions): LoopConversation {
  const rounds: Round[] = [];
  return {
    async ask(toolChoice) {
      const asked = messagesOf({ opening: start, rounds });
      return { reply: await ask(asked, toolChoice), asked };
    },
    add: (round) => void rounds.push(round),
  };
}

/** Code of a request that is longer than the context of its model. */
const full = 'MODEL_CONTEXT_FULL';

interface State extends Omit<ConversationOptions, 'context'> {
  readonly context: ContextConfig;
  /** The first messages, with the summary of rounds that are left out. */
  opening: readonly ChatMessage[];
  rounds: Round[];
  /** Estimated tokens of the next prompt. */
  tokens: number;
  /** Tokens that a prompt may have; undefined: unknown. */
  limit: number | undefined;
}

const messagesOf = ({ opening, rounds }: Pick<State, 'opening' | 'rounds'>): readonly ChatMessage[] => [
  ...opening,
  ...rounds.flatMap(({ reply, results }) => [reply, ...results.map(({ message }) => message)]),
];

/** Notes what the provider counted, and the context of the model as it was recorded with the reply. */
function note(state: State, { usage, context, text, toolCalls }: ChatReply): void {
  if (context !== undefined) state.limit = Math.min(state.limit ?? context, context);
  state.tokens = usage === undefined ? state.tokens + sizeOf([text, toolCalls]) : tokensOf(usage);
}

/** Bytes that count as one token, where nothing better is known. */
const bytesPerToken = 4;
/** Tokens that a picture, a recording or a file counts. */
const attachmentTokens = 1500;

const sizeOf = (value: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? '') / bytesPerToken);

const tokensIn = (message: ChatMessage): number => sizeOf(message) + attachmentTokens * attachmentsOf(message).length;

const sumOf = (messages: readonly ChatMessage[]): number =>
  messages.reduce((sum, message) => sum + tokensIn(message), 0);

/** Shortens the conversation if the next prompt would pass the share of the context; the provider says if it is still too long. */
async function shorten(state: State): Promise<void> {
  const { context, limit, tokens } = state;
  if (limit !== undefined && tokens > context.max * limit) await compact(state, limit);
}

/** Shortens a conversation that the provider has refused as too long. Throws the refusal if nothing can be left out. */
async function makeRoom(state: State, refusal: NodeError): Promise<void> {
  const { tokens } = state;
  // The prompt was too long, whatever is known of the model.
  state.limit = Math.min(state.limit ?? tokens, tokens);
  await compact(state, state.limit);
  if (state.tokens >= tokens) throw refusal;
}

/** Tokens that are freed at once at least, unless the conversation no longer fits: the cache survives until the next time. */
const leastOf = ({ max }: ContextConfig, limit: number): number => Math.min(1 / 4, max / 2) * limit;

/** Clears results of tools, and then replaces rounds by a summary, as far as that is written and worth it. */
async function compact(state: State, limit: number): Promise<void> {
  const { context } = state;
  const least = state.tokens >= limit ? 1 : leastOf(context, limit);
  if (context.clear === 'tool_results') await clearResults(state, limit, least);
  if (context.then === 'summarize' && state.tokens > context.max * limit) await summarizeRounds(state, limit, least);
}

/** Returns the rounds that may be shortened. */
const olderRounds = ({ rounds, context }: State): readonly Round[] => rounds.slice(0, -context.keep_rounds);

interface Clearable {
  readonly call: number;
  readonly tool: string;
  readonly line: ChatMessage;
  /** Tokens that it frees. */
  readonly freed: number;
}

async function clearResults(state: State, limit: number, least: number): Promise<void> {
  const { host, context } = state;
  const clearable = olderRounds(state).flatMap(({ results }) => results.flatMap(clearedOf));
  if (clearable.reduce((sum, { freed }) => sum + freed, 0) < least) return;
  const chosen = firstThatFree(clearable, Math.max(leastOf(context, limit), state.tokens - context.max * limit));
  const request = { tokens: state.tokens, limit, clear: chosen.map(({ call }) => call) };
  const done = await host.step('compact', request, async () => clearedResult(request, chosen), 'none');
  const lines = new Map(clearable.filter(({ call }) => done.cleared.includes(call)).map((one) => [one.call, one]));
  state.rounds = state.rounds.map(({ reply, results }) => ({
    reply,
    results: results.map((one) => {
      const line = one.result && lines.get(one.result.call)?.line;
      return line === undefined ? one : { message: line };
    }),
  }));
  state.tokens -= [...lines.values()].reduce((sum, { freed }) => sum + freed, 0);
}

/** Returns the oldest results that free so many tokens together, or all of them. */
function firstThatFree(clearable: readonly Clearable[], tokens: number): readonly Clearable[] {
  let left = tokens;
  const end = clearable.findIndex(({ freed }) => {
    left -= freed;
    return left <= 0;
  });
  return end < 0 ? clearable : clearable.slice(0, end + 1);
}

/** Returns what a result becomes when it is cleared; nothing for other messages, and for results that are as short. */
function clearedOf({ message, result }: RoundMessage): readonly Clearable[] {
  if (result === undefined) return [];
  const { call, tool } = result;
  const line: ChatMessage = { ...message, content: lineOf(result, message) };
  const freed = tokensIn(message) - tokensIn(line);
  return freed <= 0 ? [] : [{ call, tool, line, freed }];
}

/** Returns the line in place of a result: what it was, how long, and how the model gets it again. */
const lineOf = ({ tool, isRepeatable }: ClearableResult, message: ChatMessage): string =>
  `[The result of ${tool}, ${textOf(message).length} characters, was removed to make room. The call was made${isRepeatable ? '; if you need its result, call it again with the same arguments' : ' and has its effect; do not make it again only to read its result'}.]`;

interface Shortened {
  readonly tokens: number;
  readonly limit: number;
}

const amountOf = ({ tokens, limit }: Shortened): string =>
  `The next request had about ${tokens} tokens, and the context of the model ${limit}.`;

/** Returns the result of the step: a text for people, and the calls whose results are cleared. */
function clearedResult(amount: Shortened, chosen: readonly Clearable[]) {
  const calls = chosen.map(({ call, tool, freed }) => `- call ${call}, ${tool}: about ${freed} tokens`);
  const content = [`${amountOf(amount)} Cleared the results of:`, ...calls].join('\n');
  return { content, cleared: chosen.map(({ call }) => call) };
}

const instruction =
  'The conversation is getting too long and will go on from your summary alone. Summarise it for yourself: the task and its conditions, what has been done and found out with all facts, names and numbers that are still needed, what has failed, and what is left to do. Write the summary only.';

async function summarizeRounds(state: State, limit: number, least: number): Promise<void> {
  const { host, start, opening, rounds, tokens } = state;
  const older = olderRounds(state);
  const freed = sumOf(messagesOf({ opening: [], rounds: [...older] }));
  if (older.length === 0 || freed < least) return;
  const request = { tokens, limit, summarize: older.length };
  const content = `${amountOf(request)} ${older.length} rounds of calls become a summary.`;
  await host.step('compact', request, async () => ({ content, summarized: older.length }), 'none');
  const asked: readonly ChatMessage[] = [
    ...messagesOf({ opening, rounds: [...older] }),
    { role: 'user', content: instruction },
  ];
  const { text } = await state.summarize(asked);
  if (text.trim() === '') throw new NodeError(full, 'The conversation is too long, and its summary has no text.');
  state.opening = [
    ...start,
    { role: 'user', content: `A summary of the conversation so far, in place of its older part:\n\n${text}` },
  ];
  state.rounds = rounds.slice(older.length);
  state.tokens = tokens - freed + sumOf(state.opening) - sumOf(opening);
}
