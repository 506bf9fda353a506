import type { ChatMessage, ChatReply, Host, ToolCall } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { OnIncomplete } from './on-incomplete.ts';

/*
 * Asks a model until its reply is whole. The calls of a reply that was cut, refused or withheld are never returned, so that
 * nobody executes them: a call that is cut in the middle has other arguments than the model meant.
 */

/** A model that is asked, and what its author wrote about replies that are not whole. */
export interface WholeReplyOptions {
  readonly host: Pick<Host, 'compat' | 'warn'>;
  readonly policy: OnIncomplete;
  /** Params of the author, which may limit the reply. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The reply has a form, which a part of it does not have. */
  readonly isTyped?: boolean;
  /** Asks once. `limit`: limit of the reply, where the author wrote none. */
  ask(messages: readonly ChatMessage[], limit?: number): Promise<ChatReply>;
}

/** Problems of a reply. */
type Problem = 'cut' | 'cut calls' | 'thoughts only' | 'empty' | 'refused' | 'malformed' | 'context' | 'paused';
/** What is done about one. `tell`: the model is told, and asked again. */
type Action = 'accept' | 'fail' | 'retry' | 'tell' | 'continue';

/** Maximum number of requests after which a reply that the provider pauses is given up. */
const mostPauses = 10;
/** Tokens of a reply of which nothing says how long it was. */
const usualLimit = 4096;

/** The requests so far. */
interface Asked {
  sent: readonly ChatMessage[];
  limit: number | undefined;
  /** Text of earlier replies, which the next one continues. */
  start: string;
  repeated: number;
  paused: number;
}

/** Returns a whole reply to a conversation; throws a NodeError if there is none. */
export async function askWhole(options: WholeReplyOptions, messages: readonly ChatMessage[]): Promise<ChatReply> {
  const asked: Asked = { sent: messages, limit: undefined, start: '', repeated: 0, paused: 0 };
  for (;;) {
    const reply = withReadableCalls(await options.ask(asked.sent, asked.limit));
    const problem = problemOf(reply, options.host.compat);
    if (problem === undefined) return joined(asked.start, reply);
    if (problem === 'paused') continuePaused(asked, reply);
    else {
      const action = actionOn(problem, asked, { ...options, reply });
      if (action === 'accept') return accepted(problem, joined(asked.start, reply), options.host);
      if (action === 'fail') throw failureOf(problem, reply, hasLimit(options.params));
      repeat(action, asked, { options, messages, problem, reply });
    }
  }
}

function continuePaused(asked: Asked, { text, opaque }: ChatReply): void {
  asked.paused += 1;
  if (asked.paused > mostPauses)
    throw new NodeError('MODEL_REPLY_CUT', `The provider paused the reply of the model ${mostPauses} times.`);
  asked.sent = [...asked.sent, { role: 'assistant', content: text, ...(opaque === undefined ? {} : { opaque }) }];
  asked.start += text;
}

interface Repetition {
  readonly options: WholeReplyOptions;
  readonly messages: readonly ChatMessage[];
  readonly problem: Exclude<Problem, 'paused'>;
  readonly reply: ChatReply;
}

/** Prepares the next request. */
function repeat(
  action: 'retry' | 'tell' | 'continue',
  asked: Asked,
  { options, messages, problem, reply }: Repetition,
): void {
  asked.repeated += 1;
  if (action === 'tell') asked.sent = [...messages, ...notice(problem, reply)];
  else if (action === 'continue') {
    asked.start += reply.text;
    asked.sent = [...asked.sent, { role: 'assistant', content: reply.text }, { role: 'user', content: continuation }];
  } else if (fields[problem] === 'length') asked.limit = nextLimit(options, reply, asked.limit);
}

const continuation =
  'Your reply was cut at its limit of tokens. Continue exactly where it ends, without repeating anything and without a remark.';

/** Returns the reply without calls that cannot be read, if nobody knows how it ended. */
function withReadableCalls(reply: ChatReply): ChatReply {
  if (reply.end !== 'unknown' || reply.toolCalls === undefined) return reply;
  return withCalls(reply, reply.toolCalls.filter(isReadable));
}

function withCalls({ toolCalls: _all, ...reply }: ChatReply, calls: readonly ToolCall[]): ChatReply {
  return calls.length === 0 ? reply : { ...reply, toolCalls: calls };
}

function isReadable({ arguments: written }: ToolCall): boolean {
  if (written.trim() === '') return true;
  try {
    const value: unknown = JSON.parse(written);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function problemOf({ end, text, blocks = [], toolCalls = [] }: ChatReply, compat: boolean): Problem | undefined {
  const isEmpty = text.trim() === '' && blocks.length === 0;
  switch (end) {
    case 'length':
      if (toolCalls.length > 0) return 'cut calls';
      return isEmpty ? 'thoughts only' : 'cut';
    case 'filter':
    case 'refusal':
      return 'refused';
    case 'malformed':
    case 'context':
    case 'paused':
      return end;
    default:
      if (toolCalls.length === 0) return isEmpty ? 'empty' : undefined;
      // The original engine takes an empty object for arguments that it cannot read.
      return compat || toolCalls.every(isReadable) ? undefined : 'malformed';
  }
}

const fields = {
  cut: 'length',
  'cut calls': 'length',
  'thoughts only': 'length',
  context: 'length',
  empty: 'empty',
  refused: 'refusal',
  malformed: 'malformed',
} as const;

/** Actions where the author wrote nothing: as the original engine, with a limit of the author, and without one. */
const usual: { readonly [P in Exclude<Problem, 'paused'>]: readonly [compat: Action, limited: Action, free: Action] } =
  {
    cut: ['accept', 'accept', 'retry'],
    'cut calls': ['tell', 'tell', 'retry'],
    'thoughts only': ['accept', 'fail', 'retry'],
    empty: ['accept', 'retry', 'retry'],
    refused: ['accept', 'fail', 'fail'],
    malformed: ['accept', 'tell', 'tell'],
    context: ['accept', 'fail', 'fail'],
  };

function actionOn(
  problem: Exclude<Problem, 'paused'>,
  asked: Asked,
  { policy, params, host: { compat }, reply, isTyped }: WholeReplyOptions & { readonly reply: ChatReply },
): Action {
  const written = writtenAction(problem, policy);
  // A cut text has no form.
  const [original, limited, free] = usual[isTyped && problem === 'cut' ? 'thoughts only' : problem];
  const action = written ?? (compat ? original : hasLimit(params) ? limited : free);
  if (action === 'accept' || action === 'fail') return action;
  const isLast = asked.repeated >= timesOf(problem, policy) || (action === 'retry' && isAtLimit(reply, asked.limit));
  if (!isLast) return action;
  return problem === 'empty' ? 'accept' : 'fail';
}

/** Returns how often a request with a problem is repeated. */
const timesOf = (problem: Problem, policy: OnIncomplete): number =>
  problem === 'empty' ? 1 : ((typeof policy === 'object' ? policy?.times : undefined) ?? 2);

/** Returns the action that the author wrote for a problem; undefined for `auto`. */
function writtenAction(problem: Exclude<Problem, 'paused'>, policy: OnIncomplete): Action | undefined {
  const written = (typeof policy === 'object' ? policy?.[fields[problem]] : policy) ?? 'auto';
  // A call that was cut, or that cannot be read, is neither continued nor asked for in the same way again.
  if (written === 'continue') return problem === 'cut' ? 'continue' : 'tell';
  if (written === 'retry' && problem === 'malformed') return 'tell';
  return written === 'auto' ? undefined : written;
}

/** Names of the limit of a reply in the params of all providers. */
const limitNames: ReadonlySet<string> = new Set([
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
]);

/** Returns whether the author limits the reply, wherever in the params. */
const hasLimit = (params: object): boolean =>
  Object.entries(params).some(
    ([name, value]) =>
      (limitNames.has(name) && value !== null) ||
      (typeof value === 'object' && value !== null && !Array.isArray(value) && hasLimit(value)),
  );

const lengthOf = ({ usage }: ChatReply): number => usage?.completionTokens ?? usualLimit;

const nextLimit = ({ policy }: WholeReplyOptions, reply: ChatReply, limit = 0): number =>
  (typeof policy === 'object' ? policy?.limit : undefined) ?? 2 * Math.max(limit, lengthOf(reply));

/** Returns whether a repetition with a larger limit was cut even so, because the model or the budget allows no more. */
const isAtLimit = (reply: ChatReply, limit: number | undefined): boolean =>
  limit !== undefined && reply.end === 'length' && reply.usage !== undefined && lengthOf(reply) < limit * 0.9;

/** Returns the messages that tell the model what was wrong with its reply, which is left out of the conversation. */
function notice(problem: Problem, reply: ChatReply): readonly ChatMessage[] {
  const names = [...new Set((reply.toolCalls ?? []).map(({ name }) => name))].join(', ');
  const said: readonly ChatMessage[] = reply.text.trim() === '' ? [] : [{ role: 'assistant', content: reply.text }];
  return [...said, { role: 'user', content: noticeText(problem, names, lengthOf(reply)) }];
}

function noticeText(problem: Problem, names: string, tokens: number): string {
  const call = `Your call${names === '' ? '' : ` of ${names}`} was not executed`;
  if (problem === 'malformed')
    return `${call}, as its arguments are not a JSON object. Call again with valid arguments.`;
  if (problem === 'cut calls') return `${call}, as your reply was cut after ${tokens} tokens. Write less in one call.`;
  return 'Your reply has no text that can be used. Answer the request.';
}

/** Returns a reply that is accepted as it is, without calls that must not be executed. */
function accepted(
  problem: Exclude<Problem, 'paused'>,
  reply: ChatReply,
  { compat, warn }: WholeReplyOptions['host'],
): ChatReply {
  const warning = warnings[problem];
  if (problem !== 'empty' || !compat) warn({ code: warning.code, message: warning.message(reply) });
  return withCalls(reply, []);
}

const warnings: {
  readonly [P in Exclude<Problem, 'paused'>]: { readonly code: string; message(reply: ChatReply): string };
} = {
  cut: { code: 'W_REPLY_CUT', message: (reply) => `The reply was cut after ${lengthOf(reply)} tokens.` },
  'cut calls': {
    code: 'W_REPLY_CUT',
    message: (reply) => `The reply was cut after ${lengthOf(reply)} tokens; its calls were not executed.`,
  },
  'thoughts only': {
    code: 'W_REPLY_EMPTY',
    message: (reply) => `The reply has no text: thoughts took all of its ${lengthOf(reply)} tokens.`,
  },
  context: { code: 'W_REPLY_CUT', message: () => 'The reply was cut at the end of the context of the model.' },
  empty: { code: 'W_REPLY_EMPTY', message: () => 'The reply has no text.' },
  refused: {
    code: 'W_REPLY_REFUSED',
    message: (reply) => `The model refused to answer (${reply.finishReason ?? reply.end}).`,
  },
  malformed: { code: 'W_CALL_MALFORMED', message: () => 'The model made a call that cannot be read.' },
};

function failureOf(problem: Exclude<Problem, 'paused'>, reply: ChatReply, isLimited: boolean): NodeError {
  const text = Array.from(reply.text).slice(0, 200).join('');
  const end = text === '' ? '' : ` It begins: ${text}`;
  // Without a limit of the author, thoughts have filled limits that grew.
  switch (problem === 'thoughts only' && !isLimited ? 'cut' : problem) {
    case 'thoughts only':
    case 'empty':
      return new NodeError(
        'MODEL_REPLY_EMPTY',
        problem === 'empty'
          ? 'The model answered without a text.'
          : `The model answered without a text: thoughts took all ${lengthOf(reply)} tokens of \`max_tokens\`. Raise it, or lower \`effort\`.`,
      );
    case 'refused':
      return new NodeError('MODEL_REFUSED', `The model refused to answer (${reply.finishReason ?? reply.end}).${end}`);
    case 'malformed':
      return new NodeError('MODEL_CALL_MALFORMED', `The model made a call that cannot be read.${end}`);
    case 'context':
      return new NodeError(
        'MODEL_CONTEXT_FULL',
        'The conversation has filled the context of the model. Shorten it with `context_window` or `context`, or use a model with a longer context.',
      );
    default:
      return new NodeError(
        'MODEL_REPLY_CUT',
        `The reply of the model was cut after ${lengthOf(reply)} tokens. Raise \`max_tokens\`, or write \`on_incomplete: accept\`.${end}`,
      );
  }
}

const joined = (start: string, reply: ChatReply): ChatReply =>
  start === '' ? reply : { ...reply, text: `${start}${reply.text}` };
