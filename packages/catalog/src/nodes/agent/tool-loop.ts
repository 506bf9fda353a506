import type { ChatMessage, ChatReply, Host, Message, ToolCall, Wait } from '@millrace/core';
import { contentOfReply, NodeError, omitUndefined, textMessage, textOf } from '@millrace/core';
import type { SkillSet } from './skill-set.ts';
import { callTool } from './tooling/tool-call.ts';
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
  /** Returns a whole reply; `none` keeps the model from calling tools. */
  ask(messages: readonly ChatMessage[], toolChoice?: 'none'): Promise<ChatReply>;
}

/** Result of the tool loop. `context`: all messages from the model's first one on, if tools were called. */
export type ToolLoopResult =
  | {
      readonly type: 'answered';
      readonly answer: Message;
      readonly context?: readonly Message[];
      /** The last reply of the model; absent if a tool has ended the conversation. */
      readonly reply?: ChatReply;
    }
  | { readonly type: 'suspended'; readonly wait: Wait };

/**
 * Calls the model, then the tools that it requests one after the other, passes their results to it, and repeats until
 * it requests none.
 */
export async function runToolLoop(conversing: ToolLoopInput, start: readonly ChatMessage[]): Promise<ToolLoopResult> {
  const { host, limit, ask } = conversing;
  const trace: Message[] = [];
  let calls = 0;
  for (let round = 0; ; round++) {
    const conversation = [...start, ...trace.map(toChatMessage)];
    const reply = await ask(conversation);
    const message = messageOf(reply, host);
    const wanted = reply.toolCalls ?? [];
    if (wanted.length === 0 && round === 0) return { type: 'answered', answer: message, reply };
    if (wanted.length === 0) return { ...loopResult(trace, message, true), reply };
    if (round >= limit) {
      const last = await lastReply(conversing, conversation, reply);
      return { ...loopResult(trace, last.message, false), reply: last.reply };
    }
    trace.push(message);
    const results = await callAll(conversing, wanted, calls);
    if (results.type === 'suspended') return results;
    for (const result of results.messages) trace.push(result);
    if (results.end !== undefined) return loopResult(trace, results.end(withoutToolCalls(message)), true);
    calls += wanted.length;
  }
}

/** Returns a message for a model, without its source. */
export const toChatMessage = ({ role, content, toolCalls, toolCallId }: Message): ChatMessage =>
  omitUndefined({ role, content, toolCalls, toolCallId });

/** Returns the last reply of a model that calls tools without an end, with its message. */
async function lastReply(
  { host, limit, onLimit, ask }: ToolLoopInput,
  conversation: readonly ChatMessage[],
  reply: ChatReply,
): Promise<{ readonly reply: ChatReply; readonly message: Message }> {
  const text = `The model still called tools after ${limit} rounds`;
  if (onLimit === 'fail')
    throw new NodeError(
      'TOOL_ROUNDS_EXCEEDED',
      `${text}. Raise \`tool_loop_limit\`, or write \`on_tool_limit: answer\`.`,
    );
  host.warn({ code: 'W_TOOL_LIMIT', message: `${text}; its last calls were not executed.` });
  const message = messageOf(reply, host);
  // The original engine ends with the message as it is.
  if (onLimit === 'accept') return { reply, message: host.compat ? message : withoutToolCalls(message) };
  const asked = await ask(conversation, 'none');
  return { reply: asked, message: withoutToolCalls(messageOf(asked, host)) };
}

/** Maximum length of the thoughts of one reply that are kept, in characters. */
const mostThoughts = 20_000;

function messageOf({ text, blocks = [], toolCalls, thoughts }: ChatReply, host: Host): Message {
  const { node, compat } = host;
  const plain = withThoughts(textMessage('assistant', text, node), thoughts, host);
  const message = blocks.length === 0 ? plain : { ...plain, content: contentOfReply({ text, blocks }) };
  if (toolCalls !== undefined && toolCalls.length > 0) return { ...message, toolCalls };
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
  const metadata = { context_trace: toolTrace([...trace, message]), context_trace_complete: complete };
  const answer: Message = { ...message, metadata: { ...message.metadata, ...metadata } };
  return { type: 'answered', answer, context: [...trace.filter(({ role }) => role !== 'system'), answer] };
}

type Results =
  | Extract<ToolLoopResult, { type: 'suspended' }>
  | { readonly type: 'done'; readonly messages: readonly Message[]; readonly end?: (message: Message) => Message };

/**
 * Calls all requested tools. Instructions of skills follow the results of all calls, because results must directly
 * follow their calls.
 */
async function callAll(conversing: ToolLoopInput, wanted: readonly ToolCall[], before: number): Promise<Results> {
  const { host, input, tools, skills } = conversing;
  const results: Message[] = [];
  const instructions: (readonly Message[])[] = [];
  let end: ((message: Message) => Message) | undefined;
  for (const [index, call] of wanted.entries()) {
    const tool = tools.get(call.name);
    if (tool === undefined) {
      results.push(result(call, `Error: Tool '${call.name}' configuration not found.`, host.node));
      continue;
    }
    const refusal = tool.origin === 'tooling' ? skills.refusal(tool.name) : undefined;
    if (refusal !== undefined) {
      results.push(result(call, refusal, host.node));
      continue;
    }
    const called = await callTool(call, { tool, host, input, place: before + index + 1 });
    if (called.type === 'suspended') return called;
    results.push(result(call, called.answer.content, host.node));
    const failed = called.answer.failed ? { failed: true as const } : {};
    host.note({ kind: 'tool_call_execution', name: call.name, text: textOf(called.answer), ...failed });
    // Of several ending tools, the first one counts.
    end ??= called.end;
    if (tool.origin === 'skills') instructions.push(skills.opened(called.answer));
  }
  return omitUndefined({ type: 'done', messages: [...results, ...instructions.flat()], end });
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
    metadata: { ...metadata, source },
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map(called) }),
    ...omitUndefined({ tool_call_id: toolCallId }),
  }));

const called = ({ id, name, arguments: written }: NonNullable<Message['toolCalls']>[number]) => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
