import type { RecallRequest } from '@millrace/core';
import { messageWithAttachments, textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { HumanConfig, human } from './human.ts';

describe('human', () => {
  it('asks a question with its description and its input', async () => {
    const input = [textMessage('user', 'draft', 'Writer'), textMessage('assistant', 'notes', 'Critic')];
    const outcome = await human.execute(HumanConfig.parse({ description: 'Review' }), input, fakeHost());
    expect(outcome).toEqual({
      type: 'suspended',
      wait: {
        kind: 'human',
        prompt: 'Review',
        input: '=== INPUT FROM Writer (user) ===\n\ndraft\n\n=== INPUT FROM Critic (assistant) ===\n\nnotes',
      },
    });
  });

  it('asks with an empty prompt when it has nothing to show', async () => {
    const outcome = await human.execute(HumanConfig.parse({}), [], fakeHost());
    expect(outcome).toEqual({ type: 'suspended', wait: { kind: 'human', prompt: '', input: '' } });
  });

  it('emits the answer as a user message', async () => {
    const answer = { ...textMessage('assistant', 'ACCEPT', 'somebody'), keep: true };
    expect(await human.execute(HumanConfig.parse({}), [], fakeHost({ answer }))).toEqual({
      type: 'completed',
      outputs: [{ role: 'user', content: [{ type: 'text', text: 'ACCEPT' }], source: 'N', keep: false }],
    });
  });

  it('converts an empty answer to an empty text block', async () => {
    const outcome = await human.execute(HumanConfig.parse({}), [], fakeHost({ answer: textMessage('user', '', 'x') }));
    expect(outcome.type === 'completed' && outcome.outputs.map(textOf)).toEqual(['[text block]']);
  });

  it('asks no store for memories when it reads none', async () => {
    const host = fakeHost({ recall: () => Promise.reject(new Error('a store was asked')) });
    const config = HumanConfig.parse({ memories: [{ name: 'unread', write: true }] });
    expect(await human.execute(config, [], host)).toMatchObject({ type: 'suspended' });
  });

  it('shows the contents of its memories, of every stage', async () => {
    const asked: RecallRequest[] = [];
    const host = fakeHost({
      recall: async (recall) => {
        asked.push(recall);
        return 'REMEMBERED';
      },
    });
    const memories = [
      { name: 'notes', read: true, retrieve_stage: 'finished', top_k: 2, similarity_threshold: 0 },
      { name: 'unread', write: true },
    ];
    const config = HumanConfig.parse({ description: 'Review', memories });
    const outcome = await human.execute(config, [textMessage('user', 'draft', 'W')], host);
    expect(outcome).toMatchObject({ type: 'suspended', wait: { prompt: 'Review', memory: 'REMEMBERED' } });
    expect(asked).toEqual([
      {
        stage: 'gen',
        uses: [{ store: 'notes', topK: 2, threshold: 0 }],
        role: 'Review',
        query: 'Review\n\n=== INPUT FROM W (user) ===\n\ndraft',
      },
    ]);
  });

  it('passes the answer to its memories in full', async () => {
    const written: unknown[] = [];
    const host = fakeHost({
      answer: textMessage('user', 'too long', 'person'),
      remember: async (...what) => {
        written.push(what);
      },
    });
    const config = HumanConfig.parse({
      memories: [
        { name: 'notes', write: true },
        { name: 'read', read: true },
      ],
    });
    await human.execute(config, [textMessage('user', 'draft', 'W')], host);
    expect(written).toEqual([
      [{ role: '', input: '=== INPUT FROM W (user) ===\n\ndraft', output: 'too long', whole: true }, ['notes']],
    ]);
  });

  const form = {
    schema: { type: 'object', properties: { verdict: { enum: ['accept', 'revise'] }, why: { type: 'string' } } },
  };
  const filled = (data: Record<string, unknown>) =>
    fakeHost({ answer: messageWithAttachments({ type: 'data', data }, [], 'person') });

  it('asks with the schema of its form, and emits the data of the answer with their text', async () => {
    const config = HumanConfig.parse({ output: { ...form, text: 'It is {{ verdict }}.' } });

    expect(await human.execute(config, [], fakeHost())).toMatchObject({
      wait: { schema: JSON.stringify(form.schema) },
    });
    expect(await human.execute(config, [], filled({ why: 'good', verdict: 'accept' }))).toMatchObject({
      outputs: [
        { content: [{ type: 'data', data: { verdict: 'accept', why: 'good' }, text: 'It is accept.' }], source: 'N' },
      ],
    });
  });

  it('fails when a stored answer does not match its form', async () => {
    const config = HumanConfig.parse({ output: form });
    for (const host of [filled({ verdict: 'no' }), fakeHost({ answer: textMessage('user', 'accept', 'person') })])
      await expect(human.execute(config, [], host)).rejects.toMatchObject({ code: 'ANSWER_INVALID' });
  });
});
