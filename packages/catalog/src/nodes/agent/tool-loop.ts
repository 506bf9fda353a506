import type { AskedCall, ChatMessage, ChatReply, Host, Message, ToolAnswer, ToolCall, Wait } from '@millrace/core';
import { contentOfReply, messageSize, NodeError, omitUndefined, textMessage, textOf } from '@millrace/core';
import { flatten } from '../flatten.ts';
import type { Answered, LoopConversation, RoundMessage } from './loop-conversation.ts';
import type { SkillSet } from './skill-set.ts';
import type { BoundTool } from './tooling/bound-tool.ts';
import type { ToolCallContext } from './tooling/tool-call.ts';
import { callTool, questionAbout } from './tooling/tool-call.ts';
import type { Toolbox } from './tooling/toolbox.ts';

/** Input of an agent's tool loop. */
export interface ToolLoopInput {
  readonly host: Host;
  /** Input of the agent. */
  readonly input: readonly Message[];
  readonly tools: Toolbox;
  readonly skills: SkillSet;
  /** Maximum number of consecutive rounds of tool calls. */
  readonly limit: number;
  /** What happens when the model still calls tools after the limit. */
  readonly onLimit: 'answer' | 'accept' | 'fail';
  readonly conversation: LoopConversation;
}

/** Result of the tool loop. `context`: all messages from the model's first one on, if tools were called. */
export type ToolLoopResult =
  | {
      readonly type: 'answered';
      readonly answer: Message;
      readonly context?: readonly Message[];
      /** The last reply of the model; absent if a tool has ended the conversation. */
      readonly last?: Answered;
    }
  /** `calls`: those that a person must decide on. */
  | { readonly type: 'suspended'; readonly wait: Wait; readonly calls?: readonly AskedCall[] };

/**
 * Calls the model, then the tools that it requests one after the other, passes their results to it, and repeats until
 * it requests none.
 */
export async function runToolLoop(conversing: ToolLoopInput): Promise<ToolLoopResult> {
  const { host, limit, conversation } = conversing;
  const trace: Message[] = [];
  let calls = 0;
  for (let round = 0; ; round++) {
    const last = await conversation.ask();
    const message = messageOf(last.reply, host);
    const wanted = last.reply.toolCalls ?? [];
    if (wanted.length === 0 && round === 0) return { type: 'answered', answer: message, last };
    if (wanted.length === 0) return { last, ...loopResult(trace, message, true) };
    if (round >= limit) {
      const end = await lastReply(conversing, last);
      return { last: end.last, ...loopResult(trace, end.message, false) };
    }
    trace.push(message);
    const results = await callAll(conversing, wanted, calls);
    if (results.type === 'suspended') return results;
    for (const { message: result } of results.messages) trace.push(result);
    conversation.add({ reply: toChatMessage(message), results: results.messages.map(toRoundMessage) });
    if (results.end !== undefined) return loopResult(trace, results.end(withoutToolCalls(message)), true);
    calls += wanted.length;
  }
}

/** Returns a message for a model, without its source. */
const toChatMessage = ({ role, content, toolCalls, toolCallId }: Message): ChatMessage =>
  omitUndefined({ role, content, toolCalls, toolCallId });

/** Returns the last reply of a model that calls tools without an end, with its message. */
async function lastReply(
  { host, limit, onLimit, conversation }: ToolLoopInput,
  last: Answered,
): Promise<{ readonly last: Answered; readonly message: Message }> {
  const text = `The model still called tools after ${limit} rounds`;
  if (onLimit === 'fail')
    throw new NodeError(
      'TOOL_ROUNDS_EXCEEDED',
      `${text}. Raise \`tool_loop_limit\`, or write \`on_tool_limit: answer\`.`,
    );
  host.warn({ code: 'W_TOOL_LIMIT', message: `${text}; its last calls were not executed.` });
  const message = messageOf(last.reply, host);
  // The original engine ends with the message as it is.
  if (onLimit === 'accept') return { last, message: host.compat ? message : withoutToolCalls(message) };
  const end = await conversation.ask('none');
  return { last: end, message: withoutToolCalls(messageOf(end.reply, host)) };
}

/** Maximum length of the thoughts of one reply that are kept, in characters. */
const mostThoughts = 20_000;

function messageOf({ text, blocks = [], toolCalls, thoughts }: ChatReply, host: Host): Message {
  const { node, compat } = host;
  const plain = withThoughts(textMessage('assistant', text, node), thoughts, host);
  const message = blocks.length === 0 ? plain : { ...plain, content: contentOfReply({ text, blocks }) };
  // Before the spread, as a field that is added after one takes much longer.
  if (toolCalls !== undefined && toolCalls.length > 0) return { toolCalls, ...message };
  if (blocks.length > 0) return message;
  // In the original engine answers are blocks, and an empty block reads "[text block]".
  return compat && text === '' ? { ...message, content: [{ type: 'text', text: '' }] } : message;
}

/** Keeps thoughts for people: they are no part of the text that conditions, votes and templates see. */
function withThoughts(message: Message, thoughts: string | undefined, host: Host): Message {
  if (thoughts === undefined) return message;
  const kept = thoughts.length > mostThoughts ? `${thoughts.slice(0, mostThoughts)}…` : thoughts;
  host.note({ kind: 'thought', text: kept });
  return { ...message, metadata: { thoughts: kept } };
}

/** Returns the model's message without its calls. */
const withoutToolCalls = ({ toolCalls: _calls, ...message }: Message): Message => message;

/**
 * Returns the last message with everything that led to it. Messages about activated skills are recorded, but are not
 * part of the context.
 */
function loopResult(
  trace: readonly Message[],
  message: Message,
  complete: boolean,
): Extract<ToolLoopResult, { type: 'answered' }> {
  const metadata = { context_trace: toolTrace(bounded([...trace, message])), context_trace_complete: complete };
  const answer: Message = { ...message, metadata: { ...metadata, ...message.metadata } };
  return { type: 'answered', answer, context: [...trace.filter(({ role }) => role !== 'system'), answer] };
}

/** Maximum size of a trace with whole results, in characters: it is part of one message, which the store could refuse. */
const mostTraced = 8 * 1024 * 1024;
/** Characters of a result that stay in a longer trace; the journal has all of them. */
const mostOfResult = 1000;

/** Returns the messages of a trace, with the beginnings of results only if they are very long together. */
function bounded(trace: readonly Message[]): readonly Message[] {
  if (trace.reduce((sum, message) => sum + messageSize(message), 0) <= mostTraced) return trace;
  return trace.map((message) => {
    const text = message.role === 'tool' ? textOf(message) : '';
    if (text.length <= mostOfResult) return message;
    return { ...message, content: `${text.slice(0, mostOfResult)}… (${text.length - mostOfResult} more characters)` };
  });
}

/** A message that follows from a reply. */
interface Result extends Pick<RoundMessage, 'result'> {
  readonly message: Message;
}

type Suspension = Extract<ToolLoopResult, { type: 'suspended' }>;
type Results =
  | Suspension
  | { readonly type: 'done'; readonly messages: readonly Result[]; readonly end?: (message: Message) => Message };

const toRoundMessage = ({ message, result: of }: Result): RoundMessage =>
  omitUndefined({ message: toChatMessage(message), result: of });

/**
 * Calls all requested tools. Instructions of skills follow the results of all calls, because results must directly
 * follow their calls.
 */
async function callAll(conversing: ToolLoopInput, wanted: readonly ToolCall[], before: number): Promise<Results> {
  const { host, input, skills } = conversing;
  const results: Result[] = [];
  const instructions: Message[] = [];
  let end: ((message: Message) => Message) | undefined;
  for (const [index, call] of wanted.entries()) {
    const tool = usableTool(call, conversing);
    if (typeof tool === 'string') {
      results.push({ message: result(call, tool, host.node) });
      continue;
    }
    const place = before + index + 1;
    const called = await callTool(call, { tool, host, input, place });
    if (called.type === 'suspended') return called;
    if (called.type === 'undecided') {
      const later = await laterQuestions(conversing, wanted.slice(index + 1), { first: called.call, place });
      return approvalOf([called.call, ...later], input, host);
    }
    results.push(resultOf(call, called.answer, { tool, host, place }));
    const failed = called.answer.failed ? { failed: true as const } : {};
    host.note({ kind: 'tool_call_execution', name: call.name, text: textOf(called.answer), ...failed });
    // Of several ending tools, the first one counts.
    end ??= called.end;
    if (tool.origin === 'skills') for (const opened of skills.opened(called.answer)) instructions.push(opened);
  }
  return omitUndefined({ type: 'done', messages: [...results, ...instructions.map((message) => ({ message }))], end });
}

/** Returns the tool of a call, or the text with which it is refused. */
function usableTool({ name }: ToolCall, { tools, skills }: ToolLoopInput): BoundTool | string {
  const tool = tools.get(name);
  if (tool === undefined) return `Error: Tool '${name}' configuration not found.`;
  return (tool.origin === 'tooling' ? skills.refusal(tool.name) : undefined) ?? tool;
}

function resultOf(
  call: ToolCall,
  { content }: ToolAnswer,
  { tool, host, place }: Omit<ToolCallContext, 'input'>,
): Result {
  const message = result(call, content, host.node);
  const { work, guard } = tool;
  // A person would be asked again.
  if (work.type !== 'action' && work.type !== 'program') return { message };
  // A program may do anything.
  const isRepeatable = guard === undefined && work.type === 'action' && work.effect !== 'once';
  return { message, result: { call: place, tool: call.name, isRepeatable } };
}

/** Maximum number of questions at once, and of their characters: they are stored together, and people read them. */
const mostQuestions = 50;
const mostAsked = 1024 * 1024;

const lengthOf = (asked: AskedCall): number => asked.arguments.length + asked.parameters.length;

/**
 * Returns the questions about the calls after one that a person must decide on: people are asked about all of a reply at
 * once. What is too much for that is asked about after the decisions.
 */
async function laterQuestions(
  conversing: ToolLoopInput,
  wanted: readonly ToolCall[],
  { first, place: before }: { readonly first: AskedCall; readonly place: number },
): Promise<readonly AskedCall[]> {
  const { host, input } = conversing;
  const asked: AskedCall[] = [];
  let room = mostAsked - lengthOf(first);
  for (const [index, call] of wanted.entries()) {
    const tool = usableTool(call, conversing);
    if (typeof tool === 'string') continue;
    const question = await questionAbout(call, { tool, host, input, place: before + index + 1 });
    if (question === undefined) continue;
    room -= lengthOf(question);
    if (room < 0 || asked.length + 2 > mostQuestions) break;
    asked.push(question);
  }
  return asked;
}

/** Returns the wait for the decisions on calls. */
function approvalOf(calls: readonly AskedCall[], input: readonly Message[], { node }: Host): Suspension {
  const names = calls.map(({ tool }) => `"${tool}"`).join(', ');
  return {
    type: 'suspended',
    wait: { kind: 'approval', prompt: `May "${node}" call ${names}?`, input: flatten(input) },
    calls,
  };
}

const result = (call: ToolCall, content: Message['content'], source: string): Message => ({
  role: 'tool',
  content,
  source,
  keep: false,
  toolCallId: call.id,
  metadata: { tool_name: call.name },
});

/** Returns the steps of a conversation with tools as metadata of an output, in the form of the original engine. */
export const toolTrace = (messages: readonly Message[]): readonly Readonly<Record<string, unknown>>[] =>
  messages.map(({ role, content, metadata, source, toolCalls, toolCallId }) => ({
    role,
    content,
    // Before the spread, as a field that is added after one takes much longer.
    metadata: { source, ...metadata },
    ...omitUndefined({ tool_calls: toolCalls?.map(called), tool_call_id: toolCallId }),
  }));

const called = ({ id, name, arguments: written }: NonNullable<Message['toolCalls']>[number]) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
