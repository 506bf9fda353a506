import type { MessageBody } from './message.ts';

/** Returns a message that holds a JSON value, such as the result of a step. */
export const wrapValue = (value: unknown): MessageBody => ({
  role: 'tool',
  content: [{ type: 'data', data: { value } }],
});

/** Returns the value that `wrapValue` put into a message; undefined for another message. */
export function unwrapValue(body: MessageBody | undefined): unknown {
  const [block] = typeof body?.content === 'object' ? body.content : [];
  return block?.type === 'data' ? block.data.value : undefined;
}
