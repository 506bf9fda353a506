import type { ChatMessage, ChatReply, Message } from '@millrace/core';
import { textOf } from '@millrace/core';
import { flatten } from '../flatten.ts';

/** What a model reflects on. */
export interface ReflectionInput {
  readonly prompt: string;
  readonly role: string | null | undefined;
  readonly input: readonly Message[];
  /** What the agent remembers at this stage, as text. */
  readonly memory: string | undefined;
  readonly answer: Message;
  ask(messages: readonly ChatMessage[]): Promise<ChatReply>;
}

/** A second look of the model at its own answer, as a text that takes the answer's place. */
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
