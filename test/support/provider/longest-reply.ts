import type { FakeProvider } from './provider.ts';
import type { Said } from './reply.ts';
import type { Turn } from './turn.ts';

/** Returns a reply that is as long as it may be, to a prompt that has a token for each character of its messages. */
export const longestReply = ({ messages, limit = 0 }: Turn): Said => ({
  text: 'done',
  usage: { input: messages.reduce((sum, { text }) => sum + text.length, 0), output: limit },
});

/** Returns the tokens of all that a provider has answered. */
export const answeredTokens = ({ bill }: FakeProvider): number =>
  bill.lines.reduce((sum, { usage }) => sum + usage.input + usage.output, 0);
