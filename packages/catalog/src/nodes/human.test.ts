import { textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fake-host.ts';
import { HumanConfig, human } from './human.ts';

describe('human', () => {
  it('waits, showing its description and its input', async () => {
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

  it('waits with an empty prompt when there is nothing to show', async () => {
    const outcome = await human.execute(HumanConfig.parse({}), [], fakeHost());
    expect(outcome).toEqual({ type: 'suspended', wait: { kind: 'human', prompt: '', input: '' } });
  });

  it('emits the answer as a user message of its own', async () => {
    const answer = { ...textMessage('assistant', 'ACCEPT', 'somebody'), keep: true };
    expect(await human.execute(HumanConfig.parse({}), [], fakeHost({ answer }))).toEqual({
      type: 'completed',
      outputs: [{ role: 'user', content: [{ type: 'text', text: 'ACCEPT' }], source: 'N', keep: false }],
    });
  });

  it('reads an empty answer as an empty text block', async () => {
    const outcome = await human.execute(HumanConfig.parse({}), [], fakeHost({ answer: textMessage('user', '', 'x') }));
    expect(outcome.type === 'completed' && outcome.outputs.map(textOf)).toEqual(['[text block]']);
  });

  it('says that memories are not built yet', () => {
    const config = HumanConfig.parse({ memories: [{ name: 'notes' }] });
    expect(() => human.execute(config, [], fakeHost())).toThrow(/memories/);
  });
});
