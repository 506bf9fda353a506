import type { MessageBody } from './message.ts';

/** Characters that a message may have; whatever is larger belongs into a file. */
export const largestMessage = 16 * 1024 * 1024;

/** How much a message is, in characters, near enough for limits. */
export const sizeOfBody = ({ content, metadata, toolCalls }: MessageBody): number =>
  200 +
  (typeof content === 'string' ? content.length : JSON.stringify(content).length) +
  (metadata === undefined ? 0 : JSON.stringify(metadata).length) +
  (toolCalls ?? []).reduce((sum, call) => sum + call.arguments.length, 0);

/** Why the largest of these messages is too large to be stored; undefined when none is. `what` begins the sentence. */
export function tooLarge(bodies: readonly MessageBody[], what: string): string | undefined {
  const size = bodies.reduce((most, body) => Math.max(most, sizeOfBody(body)), 0);
  if (size <= largestMessage) return undefined;
  return `${what} has a message of ${size.toLocaleString('en')} characters; a message may have ${largestMessage.toLocaleString('en')}. Hand large content on as a file instead.`;
}
