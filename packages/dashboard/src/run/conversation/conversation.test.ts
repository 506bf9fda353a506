import type { RunEvent, RunGraphs } from '@millrace/client';
import { describe, expect, it } from 'vitest';
import type { Entry } from './conversation.ts';
import { conversationOf } from './conversation.ts';
import { chooseEntries } from './conversation-search.ts';

const graphs = { graphs: [] } as unknown as RunGraphs; // nothing is hidden
/** An event with the fields that matter here. */
const event = (type: string, fields: object): RunEvent =>
  ({ id: '1-0', at: 1, event: { type, ...fields } }) as RunEvent;
const message = (id: string, source: string) => ({ id, source, role: 'assistant' });
const words = (entries: readonly Entry[]) =>
  entries.map((entry) => `${entry.type} ${entry.type === 'message' ? entry.message : entry.source}`);

describe('a conversation', () => {
  it('begins with the task and has the outputs of nodes in order', () => {
    const { entries } = conversationOf(
      [
        event('graph.entered', { scope: 's0', task: [message('m1', 'TASK')] }),
        event('graph.entered', { scope: 's1', task: [message('m1', 'TASK')] }),
        event('activation.completed', { activation: 'a1', outputs: [message('m2', 'Writer')] }),
      ],
      graphs,
    );

    expect(words(entries)).toEqual(['message m1', 'message m2']);
  });

  it('has a question and its answer once, although the answer is also the output of its node', () => {
    const { entries } = conversationOf(
      [
        event('activation.suspended', {
          activation: 'a2',
          nodeId: 'Reviewer',
          wait: { kind: 'human', prompt: 'Good?' },
        }),
        event('activation.answered', { activation: 'a2', by: 'ann', answer: message('m3', 'Reviewer') }),
        event('activation.completed', { activation: 'a2', outputs: [message('m4', 'Reviewer')] }),
      ],
      graphs,
    );

    expect(words(entries)).toEqual(['question Reviewer', 'message m3']);
    expect(entries[1]).toMatchObject({ isPerson: true, by: 'ann' });
  });

  it('groups the tool calls of one activation, and omits model calls', () => {
    const step = (activation: string, name: string) => event('step.started', { activation, nodeId: 'Agent', name });

    const { entries } = conversationOf(
      [step('a1', 'chat gpt-4o'), step('a1', 'tool search'), step('a1', 'tool read'), step('a2', 'python')],
      graphs,
    );

    expect(entries.map((entry) => (entry.type === 'calls' ? entry.names : []))).toEqual([
      ['tool search', 'tool read'],
      ['python'],
    ]);
  });

  it('shows the failures of nodes', () => {
    const error = { code: 'MODEL_AUTH', message: 'No key.' };

    const { entries } = conversationOf(
      [event('activation.failed', { activation: 'a1', nodeId: 'Agent', error })],
      graphs,
    );

    expect(entries).toMatchObject([{ type: 'failure', source: 'Agent', ...error }]);
  });

  it('counts the messages that the author has hidden', () => {
    const secret = {
      graphs: [
        { key: '', logLevel: 'DEBUG', nodes: [{ id: 'Secret', discreet: true }] },
        { key: 'Team', logLevel: 'ERROR', nodes: [] },
      ],
    } as unknown as RunGraphs;

    const { entries, hidden } = conversationOf(
      [
        event('activation.completed', { nodeId: 'Secret', graph: '', outputs: [message('m5', 'Secret')] }),
        event('activation.completed', { nodeId: 'Quiet', graph: 'Team', outputs: [message('m6', 'Quiet')] }),
        event('activation.suspended', { nodeId: 'Secret', graph: '', wait: { kind: 'human', prompt: 'Good?' } }),
      ],
      secret,
    );

    expect(words(entries)).toEqual(['question Secret']);
    expect(hidden).toBe(2);
  });

  it('is filtered by node and iteration', () => {
    const said = (id: string, nodeId: string, iteration: number) =>
      event('activation.completed', { activation: id, nodeId, iteration, outputs: [message(`m${id}`, nodeId)] });
    const { entries } = conversationOf([said('1', 'A', 1), said('2', 'B', 1), said('3', 'A', 2)], graphs);

    expect(words(chooseEntries(entries, { node: 'A' }))).toEqual(['message m1', 'message m3']);
    expect(words(chooseEntries(entries, { node: 'A', iteration: 2 }))).toEqual(['message m3']);
  });
});
