import type { ChatMessage, ChatReply, ToolCall } from '@millrace/core';
import { omitUndefined } from '@millrace/core';
import { z } from 'zod';

const Call = z.object({
  id: z.string(),
  name: z.string(),
  arguments: z.string(),
  /** Data of the provider that it expects back with the call, such as its thoughts and their signature. */
  opaque: z.string().optional(),
});

const Round = z.object({
  prompt: z.string(),
  text: z.string(),
  calls: z.array(Call).optional(),
  /** Number of the call that counted. */
  chosen: z.number().optional(),
});
type Round = z.infer<typeof Round>;

/** A text file that is attached to the task, as a reference to its content. */
const TaskFile = z.object({
  type: z.literal('file'),
  attachment: z.object({
    id: z.string(),
    name: z.string(),
    mimeType: z.string(),
    size: z.number(),
    digest: z.string(),
  }),
});

/** State of a controller: its rounds. */
export const Rounds = z
  .object({
    /** Number of rounds so far. */
    round: z.number(),
    /** Text of the first input. */
    task: z.string(),
    /** Text files of the first input. */
    files: z.array(TaskFile).readonly(),
    /** The commands of the latest rounds. */
    commands: z.array(z.string()),
    first: z.array(Round),
    last: z.array(Round),
  })
  .catch({ round: 0, task: '', files: [], commands: [], first: [], last: [] });
export type Rounds = z.infer<typeof Rounds>;

/** Maximum length of prompts and answers of earlier rounds, in characters. */
const maxKeptChars = 8000;
/** Maximum length of the data of the provider in one round; a round with more is kept as text. */
const maxOpaqueChars = 100_000;
const maxCommands = 100;

/** Data of a round that is added to the history. */
export interface PlayedRound {
  readonly prompt: string;
  readonly reply: ChatReply;
  readonly chosen?: number | undefined;
  readonly command: string;
}

/** Returns the history with one more round. */
export function withRound(
  rounds: Rounds,
  added: PlayedRound,
  { first_k: firstK, last_k: lastK }: { readonly first_k: number; readonly last_k: number },
): Rounds {
  const { prompt, reply, chosen, command } = added;
  const round: Round = { prompt: truncate(prompt), ...keptReply(reply), ...omitUndefined({ chosen }) };
  const isFirst = rounds.first.length < firstK;
  return {
    ...rounds,
    round: rounds.round + 1,
    commands: [...rounds.commands, command].slice(-maxCommands),
    first: isFirst ? [...rounds.first, round] : rounds.first,
    last: isFirst || lastK === 0 ? rounds.last : [...rounds.last, round].slice(-lastK),
  };
}

function keptReply({ text, toolCalls = [] }: ChatReply): Pick<Round, 'text' | 'calls'> {
  if (toolCalls.length === 0) return { text: truncate(text) };
  const size = toolCalls.reduce((sum, { opaque = '' }) => sum + opaque.length, 0);
  if (size <= maxOpaqueChars) return { text: truncate(text), calls: [...toolCalls] };
  // Without its data, the provider would refuse the calls.
  const calls = toolCalls.map(({ name, arguments: written }) => `${name} ${written}`);
  return { text: truncate([text, ...calls].join('\n').trim()) };
}

const truncate = (text: string): string =>
  text.length > maxKeptChars ? `${text.slice(0, maxKeptChars)}\n(${text.length - maxKeptChars} more characters)` : text;

/** Returns earlier rounds as messages for the model. */
export const roundMessages = ({ first, last }: Rounds): readonly ChatMessage[] => [...first, ...last].flatMap(exchange);

const exchange = ({ prompt, text, calls = [], chosen }: Round): readonly ChatMessage[] => [
  { role: 'user', content: prompt },
  ...replyMessages({ text, calls: calls.map((call) => omitUndefined(call)) }, (at) =>
    at === chosen ? 'Done; the result follows.' : 'Ignored: one command per round.',
  ),
];

/** Returns a reply as part of the conversation, with a result for each of its calls. */
export function replyMessages(
  { text, calls }: { readonly text: string; readonly calls: readonly ToolCall[] },
  word: (at: number) => string,
): readonly ChatMessage[] {
  if (calls.length === 0) return [{ role: 'assistant', content: text }];
  return [
    { role: 'assistant', content: text, toolCalls: calls },
    ...calls.map(({ id }, at): ChatMessage => ({ role: 'tool', content: word(at), toolCallId: id })),
  ];
}
