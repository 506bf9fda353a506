import type { ChatMessage, ChatReply, Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import { flatten } from '../flatten.ts';

/** Input of a reflection. */
export interface ReflectionInput {
  readonly prompt: string;
  readonly role: string | null | undefined;
  readonly input: readonly Message[];
  /** Memories of the agent at this stage, as text. */
  readonly memory: string | undefined;
  readonly answer: Message;
  ask(messages: readonly ChatMessage[]): Promise<ChatReply>;
}

/** Lets the model reflect on its own answer; returns the text that replaces the answer. */
export async function reflect({ prompt, role, input, memory, answer, ask }: ReflectionInput): Promise<string> {
  const parts = [
    ...(memory ? [memory] : []),
    ...(role ? [`SYSTEM: ${role}`] : []),
    `USER: ${flatten(input)}`,
    `ASSISTANT: ${textOf(answer)}`,
  ];
  const content = `Here is a conversation between two roles: ${parts.join('\n\n')} ${prompt}`;
  return (await ask([{ role: 'user', content }])).text;
}
