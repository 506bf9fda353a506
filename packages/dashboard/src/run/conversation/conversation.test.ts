import type { RunEvent, RunGraphs } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import { conversationOf } from './conversation.ts';

const graphs: RunGraphs = {
  event: '0',
  at: 0,
  now: 0,
  status: 'running',
  activations: 0,
  usage: { calls: 0, promptTokens: 0, completionTokens: 0 },
  graphs: [],
};
const event = (type: string, fields: object): RunEvent => ({ id: '1-0', at: 1, event: { type, ...fields } });
const message = (id: string, source: string) => ({ id, source, role: 'assistant' });

describe('a conversation', () => {
  it('begins with the task and has the outputs of nodes in order', () => {
    const events = [
      event('graph.entered', { scope: 's0', task: [message('m1', 'TASK')] }),
      event('activation.completed', { activation: 'a1', outputs: [message('m2', 'Writer')] }),
    ];

    expect(conversationOf(events, graphs).map(({ message: id, source }) => [id, source])).toEqual([
      ['m1', 'TASK'],
      ['m2', 'Writer'],
    ]);
  });

  it('has an answer once, although it is the output of its node as well', () => {
    const events = [
      event('activation.answered', { activation: 'a2', answer: message('m3', 'Reviewer') }),
      event('activation.completed', { activation: 'a2', outputs: [message('m4', 'Reviewer')] }),
    ];

    expect(conversationOf(events, graphs).map(({ message: id }) => id)).toEqual(['m3']);
  });

  it('leaves out what the author has marked as not to be shown', () => {
    const secret = { graphs: [{ nodes: [{ id: 'Secret', discreet: true }] }] } as unknown as typeof graphs;

    expect(conversationOf([event('activation.completed', { outputs: [message('m5', 'Secret')] })], secret)).toEqual([]);
  });
});
