import { textMessage, variablesOf, withVariables } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../test/support/fakes/fake-host.ts';
import { TemplateNodeConfig, templateNode } from './template.ts';

const input = [
  withVariables(textMessage('user', 'first', 'A'), { goal: 'g', round: 1 }),
  withVariables(textMessage('user', '{"n": 2}', 'B'), { round: 2 }),
];

async function output(config: unknown, messages = input) {
  const outcome = await templateNode.execute(TemplateNodeConfig.parse(config), messages, fakeHost());
  if (outcome.type !== 'completed') throw new Error(outcome.type);
  expect(outcome.outputs).toHaveLength(1);
  return outcome.outputs[0] ?? textMessage('user', '', '');
}

describe('template', () => {
  it('emits the newest text and the data of its whole input by default', async () => {
    const message = await output({});

    expect(message).toMatchObject({ role: 'assistant', content: '{"n": 2}', source: 'N' });
    expect(variablesOf(message)).toEqual({ goal: 'g', round: 2 });
  });

  it('renders text, data, facts and a branch from its variables, which can use earlier ones', async () => {
    const message = await output({
      text: '{{ goal }} {{ next }}',
      variables: { n: '{{ data.n }}', next: 'after {{ n }}' },
      data: { n: '{{ n }}', from: '{{ source }}' },
      metadata: { round: '{{ round }}' },
      branch: ' {{ goal }} ',
    });

    expect(message.content).toEqual([{ type: 'data', data: { n: 2, from: 'B' }, text: 'g after 2' }]);
    expect(message.metadata).toMatchObject({ round: 2, branch: 'g' });
    expect(variablesOf(message)).toMatchObject({ n: 2, next: 'after 2' });
  });

  it('has the reason for which its input was stopped', async () => {
    const stopped = { ...textMessage('user', 'x', 'S'), metadata: { stop_reason: 'max_turns: 2 of 2' } };

    expect((await output({ text: '<{{ stop_reason }}>' })).content).toBe('<>');
    expect((await output({ text: '<{{ stop_reason }}>' }, [stopped, ...input])).content).toBe('<max_turns: 2 of 2>');
  });

  it('fails with its code when its condition holds, and for an unknown variable', async () => {
    const fail = { code: 'TOO_MANY', message: '{% if round > 1 %}Too many.{% endif %}' };

    await expect(output({ fail })).rejects.toMatchObject({ code: 'TOO_MANY', message: 'Too many.' });
    await expect(output({ fail }, input.slice(0, 1))).resolves.toBeDefined();
    await expect(output({ text: '{{ nobody }}' })).rejects.toMatchObject({ code: 'TEMPLATE_FAILED' });
  });
});
