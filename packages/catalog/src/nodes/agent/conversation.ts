import type { ChatMessage, Message } from '@millrace/core';
import { contentWithFiles, omitUndefined, textFilesOf } from '@millrace/core';
import { flatten } from '../flatten.ts';
import type { AgentConfig } from './agent-config.ts';

/** Input of an agent's conversation. */
export interface ConversationInput {
  readonly config: Pick<AgentConfig, 'role' | 'input_mode' | 'thinking'>;
  readonly input: readonly Message[];
  /** Section of the system prompt about skills; empty if skills are off. */
  readonly skills: string;
  /** Memories of the agent, as text. */
  readonly memory: string | undefined;
  readonly compat: boolean;
}

/** Returns the messages of the first request to the model. */
export function buildConversation(parts: ConversationInput): readonly ChatMessage[] {
  const { config, input, skills, memory } = parts;
  const prompt = [config.role ?? '', skills].filter((part) => part !== '').join('\n\n');
  const system: ChatMessage[] = prompt === '' ? [] : [{ role: 'system', content: prompt }];
  if (config.input_mode === 'prompt') {
    const text = flatten(input);
    const textWithMemory = memory === undefined ? text : `${memory}\n\n${text}`;
    // In this mode, the original engine names files but shows none.
    const files = parts.compat ? [] : textFilesOf(input);
    return [...system, { role: 'user', content: contentWithFiles(textWithMemory, files) }];
  }
  const messages = [
    ...(input.length === 0 ? [user('')] : completeExchanges(input.map(toChatMessage))),
    ...repeated(parts),
  ];
  return [...system, ...(memory === undefined ? messages : withMemory(messages, memory))];
}

const user = (content: string): ChatMessage => ({ role: 'user', content });

const toChatMessage = ({ role, content, name, toolCalls, toolCallId }: Message): ChatMessage =>
  omitUndefined({ role, content, name, toolCalls, toolCallId });

/** Returns the input once more for an agent that thinks, as the original engine does. */
function repeated({ config, input, compat }: ConversationInput): readonly ChatMessage[] {
  const text = compat && config.thinking ? flatten(input) : '';
  return text === '' ? [] : [user(text)];
}

/** Inserts memories right before the last message of the user. */
function withMemory(messages: readonly ChatMessage[], memory: string): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return last === -1 ? [...messages, user(memory)] : messages.toSpliced(last, 0, user(memory));
}

/**
 * Returns only complete exchanges with tools: an assistant's calls, directly followed by a result for each of them. A
 * context window may have separated them, and servers refuse incomplete exchanges.
 */
function completeExchanges(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const complete: (readonly ChatMessage[])[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === 'tool') continue;
    if (message.role !== 'assistant' || message.toolCalls === undefined) {
      complete.push([message.toolCalls === undefined ? message : withoutCalls(message)]);
      continue;
    }
    const results = resultsAfter(messages, at);
    const ids = new Set(results.map((result) => result.toolCallId));
    if (message.toolCalls.every(({ id }) => ids.has(id))) complete.push([message, ...results]);
    else if (message.content.length > 0) complete.push([withoutCalls(message)]);
  }
  return complete.flat();
}

function resultsAfter(messages: readonly ChatMessage[], at: number): readonly ChatMessage[] {
  let end = at + 1;
  while (messages[end]?.role === 'tool') end++;
  return messages.slice(at + 1, end);
}

function withoutCalls({ toolCalls: _calls, ...message }: ChatMessage): ChatMessage {
  return message;
}
