import type { ChatReply } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { Rounds, roundMessages, withRound } from './rounds.ts';

const none = Rounds.parse(undefined);

const replyWith = (opaque: string): ChatReply => ({
  text: 'I search.',
  end: 'calls',
  toolCalls: [{ id: 'c1', name: 'search', arguments: '{"query":"x"}', opaque }],
});

const after = (reply: ChatReply) => {
  const rounds = withRound(none, { prompt: 'Go.', reply, chosen: 0, command: 'search' }, { first_k: 0, last_k: 3 });
  // As it is stored.
  return roundMessages(Rounds.parse(JSON.parse(JSON.stringify(rounds))));
};

describe('the rounds of a controller', () => {
  it('keep what the provider expects back with a call', () => {
    expect(after(replyWith('signed thoughts'))).toMatchObject([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: 'I search.', toolCalls: [{ name: 'search', opaque: 'signed thoughts' }] },
      { role: 'tool', toolCallId: 'c1' },
    ]);
  });

  it('keep a call as text if that is too much', () => {
    expect(after(replyWith('x'.repeat(100_001)))).toEqual([
      { role: 'user', content: 'Go.' },
      { role: 'assistant', content: 'I search.\nsearch {"query":"x"}' },
    ]);
  });
});
