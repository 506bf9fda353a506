import type { ChatMessage, Message } from '@millrace/core';
import { contentWithFiles, textFilesOf } from '@millrace/core';
import { flatten } from '../flatten.ts';
import type { AgentConfig } from './agent-config.ts';

/** What an agent's request is made of. */
export interface ConversationInput {
  readonly config: Pick<AgentConfig, 'role' | 'input_mode' | 'thinking'>;
  readonly input: readonly Message[];
  /** What the system prompt says about skills; empty when they are off. */
  readonly skills: string;
  /** What the agent remembers, as text. */
  readonly memory: string | undefined;
  readonly compat: boolean;
}

/** The messages that a model is first asked with. */
export function buildConversation(said: ConversationInput): readonly ChatMessage[] {
  const { config, input, skills, memory } = said;
  const prompt = [config.role ?? '', skills].filter((part) => part !== '').join('\n\n');
  const system: ChatMessage[] = prompt === '' ? [] : [{ role: 'system', content: prompt }];
  if (config.input_mode === 'prompt') {
    const text = flatten(input);
    const told = memory === undefined ? text : `${memory}\n\n${text}`;
    // The original engine names files in this mode, and shows none.
    const files = said.compat ? [] : textFilesOf(input);
    return [...system, { role: 'user', content: contentWithFiles(told, files) }];
  }
  const messages = [...(input.length === 0 ? [user('')] : paired(input.map(spoken))), ...repeated(said)];
  return [...system, ...(memory === undefined ? messages : withMemory(messages, memory))];
}

const user = (content: string): ChatMessage => ({ role: 'user', content });

const spoken = ({ role, content, name, toolCalls, toolCallId }: Message): ChatMessage => ({
  role,
  content,
  ...(name === undefined ? {} : { name }),
  ...(toolCalls === undefined ? {} : { toolCalls }),
  ...(toolCallId === undefined ? {} : { toolCallId }),
});

/** The original engine gives an agent that thinks its input a second time. */
function repeated({ config, input, compat }: ConversationInput): readonly ChatMessage[] {
  const text = compat && config.thinking ? flatten(input) : '';
  return text === '' ? [] : [user(text)];
}

/** Memories stand right before the last word of the user. */
function withMemory(messages: readonly ChatMessage[], memory: string): readonly ChatMessage[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  return last === -1 ? [...messages, user(memory)] : messages.toSpliced(last, 0, user(memory));
}

/**
 * Only whole exchanges with tools: an assistant's calls with a result for each of them right behind. A context window
 * may have cut the one off from the other, and servers refuse a request with a half.
 */
function paired(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const whole: (readonly ChatMessage[])[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message === undefined || message.role === 'tool') continue;
    if (message.role !== 'assistant' || message.toolCalls === undefined) {
      whole.push([message.toolCalls === undefined ? message : withoutCalls(message)]);
      continue;
    }
    const results = resultsAfter(messages, at);
    const ids = new Set(results.map((result) => result.toolCallId));
    if (message.toolCalls.every(({ id }) => ids.has(id))) whole.push([message, ...results]);
    else if (message.content.length > 0) whole.push([withoutCalls(message)]);
  }
  return whole.flat();
}

function resultsAfter(messages: readonly ChatMessage[], at: number): readonly ChatMessage[] {
  let end = at + 1;
  while (messages[end]?.role === 'tool') end++;
  return messages.slice(at + 1, end);
}

function withoutCalls({ toolCalls: _calls, ...message }: ChatMessage): ChatMessage {
  return message;
}
