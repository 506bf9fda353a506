import type { Host, Message, Outcome, ToolAnswer, Wait } from '@millrace/core';
import { defineTool, textMessage, textOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fakeHost } from '../../../../../../test/support/fakes/fake-host.ts';
import { agent } from '../agent.ts';
import { AgentConfig } from '../agent-config.ts';

const made: unknown[] = [];
const transfer = defineTool<{ ref: string }>({
  name: 'transfer',
  description: 'Transfers.',
  parameters: z.object({ ref: z.string() }),
  effect: 'once',
  execute: ({ ref }, { key }) => {
    made.push(key);
    return `transferred ${ref}`;
  },
});
const find = defineTool<{ id: string; exact: boolean }>({
  name: 'find',
  description: 'Finds.',
  parameters: z.object({ id: z.string(), exact: z.boolean() }),
  effect: 'read',
  execute: (args) => `found ${JSON.stringify(args)}`,
});
const functions = new Map([transfer, find].map((tool) => [tool.name, tool]));
const verify = { verify: { tool: 'find', arguments: { id: '$.ref', exact: true } } };

/** Runs an agent whose first calls of `transfer` have an unknown outcome. */
async function run(rule: unknown, { unknown = 1, ...given }: Partial<Host> & { unknown?: number } = {}) {
  made.length = 0;
  let lost = 0;
  const steps: string[] = [];
  const host = fakeHost({
    replies: [{ text: '', toolCalls: [{ id: 'c1', name: 'transfer', arguments: '{"ref":"r7"}' }] }, { text: 'done' }],
    ...given,
    // As the host does it: the rule of the terms decides about a step that another attempt has begun.
    step: async (name, request, action, terms) => {
      steps.push(name);
      const isLost = typeof terms === 'object' && lost++ < unknown;
      if (isLost && terms.once !== undefined && terms.once.rule !== 'repeat') return terms.once.unknown;
      return fakeHost().step(name, request, action);
    },
  });
  const config = AgentConfig.parse({
    provider: 'openai',
    name: 'm',
    tooling: [
      {
        type: 'function',
        config: { tools: [{ name: 'transfer' }, { name: 'find' }] },
        ...(rule === undefined ? {} : { on_unknown: { transfer: rule } }),
      },
    ],
  });
  const outcome: Outcome = await agent(functions).execute(config, [textMessage('user', 'pay', 'TASK')], host);
  const told = host.asked.at(-1)?.messages.at(-1);
  return { outcome, steps, told: told === undefined ? '' : textOf(told as Message) };
}

const answering = (text: string): Partial<Host> => ({ ask: async () => textMessage('user', text, 'USER') });

describe('a call with an unknown outcome', () => {
  it.each([undefined, 'tell'])('is told to the model (%s)', async (rule) => {
    const { told } = await run(rule);

    expect(told).toContain('The outcome of this call is unknown');
    expect(told).toContain('Check if it has');
    expect(made).toEqual([]);
  });

  it('is verified by a tool, whose answer the model gets', async () => {
    const { told, steps } = await run(verify);

    expect(told).toContain('answers: found {"id":"r7","exact":true}');
    expect(steps).toEqual(['tool transfer', 'tool find']);
    expect(made).toEqual([]);
  });

  it('asks a person, and holds no worker', async () => {
    const { outcome } = await run('ask', { ask: async () => undefined });

    expect(outcome).toMatchObject({ type: 'suspended', wait: { kind: 'human' } });
    const { prompt } = (outcome as { wait: Wait }).wait;
    expect(prompt).toContain('{"ref":"r7"}');
  });

  it.each([
    ['happened', 'it has taken effect', 0],
    ['Did not happen.', 'transferred r7', 1],
    ['I see it in the books', 'A person who was asked says: I see it in the books', 0],
  ])('goes on when a person answers %s', async (answer, expected, times) => {
    const { told } = await run('ask', answering(answer));

    expect(told).toContain(expected);
    expect(made).toHaveLength(times);
  });

  it('has one key for all of its attempts', async () => {
    await run('ask', answering('did not happen'));
    const [again] = made;
    await run(undefined, { unknown: 0 });

    expect(made).toEqual([again]);
  });

  it.each(['fail', 'ask'])('fails the node (%s)', async (rule) => {
    await expect(run(rule, answering('fail'))).rejects.toMatchObject({ code: 'TOOL_OUTCOME_UNKNOWN' });
    expect(made).toEqual([]);
  });

  it('is one that does not answer in time', async () => {
    const host = fakeHost({
      replies: [{ text: '', toolCalls: [{ id: 'c1', name: 'hang', arguments: '{}' }] }, { text: 'done' }],
    });
    const answers: ToolAnswer[] = [];
    const step: Host['step'] = async (...asked) => {
      const answer = await fakeHost().step(...asked);
      answers.push(answer as ToolAnswer); // the only steps are calls of tools
      return answer;
    };
    const hang = defineTool({
      name: 'hang',
      description: 'Hangs.',
      parameters: z.object({}),
      effect: 'once',
      execute: () => new Promise(() => undefined),
    });
    const tooling = [{ type: 'function', config: { tools: [{ name: 'hang' }], timeout: 0.01 } }];

    await agent(new Map([['hang', hang]])).execute(
      AgentConfig.parse({ provider: 'openai', name: 'm', tooling }),
      [textMessage('user', 'hi', 'TASK')],
      Object.assign(host, { step }),
    );

    expect(answers).toMatchObject([{ unknown: 'tell' }]);
  });
});
