import type { Message, Outcome } from '@millrace/core';
import { dataOf, messageWithAttachments, textMessage, textOf, variablesOf } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../../../../test/support/fakes/fake-host.ts';
import { controller } from './controller.ts';
import { ControllerConfig } from './controller-config.ts';

const commands = {
  search: { description: 'Search.', args: { query: { type: 'string', required: true }, top: { type: 'integer' } } },
  finish: { description: 'Done.' },
};
const config = ControllerConfig.parse({ provider: 'scripted', name: 'm', role: 'DO {{commands}}', commands });
const node = controller(new Map());
const calls = (...wanted: readonly (readonly [string, unknown])[]) => ({
  text: '',
  toolCalls: wanted.map(([name, args], at) => ({ id: `c${at}`, name, arguments: JSON.stringify(args) })),
});

async function round(host: ReturnType<typeof fakeHost>, changes: Partial<ControllerConfig> = {}, input?: Message) {
  const outcome: Outcome = await node.execute(
    { ...config, ...changes },
    [input ?? textMessage('user', 'the task', 'T')],
    host,
  );
  if (outcome.type !== 'completed') throw new Error(outcome.type);
  const [output] = outcome.outputs;
  if (output === undefined) throw new Error('no output');
  return { output, state: outcome.state?.write };
}

describe('a controller', () => {
  it('offers its commands as functions and emits the one that was chosen', async () => {
    const host = fakeHost({ reply: calls(['search', { query: 'bees' }]) });

    const { output } = await round(host);

    expect(dataOf(output)).toEqual({ command: 'search', command_args: { query: 'bees' } });
    expect(output.metadata).toMatchObject({ branch: 'search' });
    expect(variablesOf(output)).toMatchObject({ command: 'search', round: 1, task: 'the task' });
    const [request] = host.asked;
    expect(request).toMatchObject({ toolChoice: 'required', params: {} });
    expect(request?.tools?.map(({ name }) => name)).toEqual(['search', 'finish']);
    expect(request?.messages).toEqual([
      {
        role: 'system',
        content: 'DO - search: Search.\n    query (string, required)\n    top (integer)\n- finish: Done.',
      },
      { role: 'user', content: 'the task' },
    ]);
  });

  it('asks the model again when its reply is no command, and says what is wrong', async () => {
    const host = fakeHost({ replies: [calls(['search', { query: 1 }]), calls(['search', { query: 'ok' }])] });

    const { output } = await round(host);

    expect(dataOf(output)).toMatchObject({ command_args: { query: 'ok' } });
    expect(host.asked[1]?.messages.slice(2)).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', toolCallId: 'c0' },
      { role: 'user', content: expect.stringMatching(/^The arguments of search are wrong: \/query: .*Answer again/) },
    ]);
  });

  it('uses the first valid one of several calls', async () => {
    const { output } = await round(
      fakeHost({ reply: calls(['serch', {}], ['search', { query: 'a' }], ['finish', {}]) }),
    );

    expect(dataOf(output)).toMatchObject({ command: 'search' });
  });

  it('emits the branch $invalid when the model chooses no command', async () => {
    const { output } = await round(fakeHost({ reply: { text: 'Hm.' } }), { repair_attempts: 0 });

    expect(output.metadata).toMatchObject({ branch: '$invalid' });
    expect(textOf(output)).toBe('The answer holds no command.');
  });

  it('shows the model its latest rounds, each with the call that was used', async () => {
    const history = { first_k: 0, last_k: 1 };
    const first = await round(fakeHost({ reply: calls(['search', { query: 'a' }], ['finish', {}]) }), { history });
    const second = await round(fakeHost({ state: first.state, reply: calls(['search', { query: 'b' }]) }), { history });
    const host = fakeHost({ state: second.state, reply: calls(['finish', {}]) });

    const { output } = await round(host, { history }, textMessage('user', 'found b', 'S'));

    expect(variablesOf(output)).toMatchObject({ round: 3, task: 'the task' });
    expect(host.asked[0]?.messages.slice(1)).toEqual([
      { role: 'user', content: 'the task' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c0', name: 'search', arguments: '{"query":"b"}' }] },
      { role: 'tool', content: 'Done; the result follows.', toolCallId: 'c0' },
      { role: 'user', content: 'found b' },
    ]);
  });

  it.each(['{"command": "finish"}', 'So:\n```json\n{"command": "finish", "command_args": {}}\n```'])(
    'reads the JSON in %j',
    async (text) => {
      const host = fakeHost({ reply: { text } });

      const { output } = await round(host, { decision: 'json' });

      expect(dataOf(output)).toMatchObject({ command: 'finish', command_args: {} });
      expect(host.asked[0]?.tools).toBeUndefined();
    },
  );

  it('puts variables among the arguments of a command', async () => {
    const input = { ...textMessage('user', 'x', 'R'), metadata: { variables: { memory: { plan: 'P' }, goal: 'G' } } };
    const injecting = { ...commands, finish: { description: 'Done.', inject: ['goal', 'memory.plan'] } };
    const changed = ControllerConfig.parse({ ...config, commands: injecting });

    const { output } = await round(fakeHost({ reply: calls(['finish', {}]) }), changed, input);

    expect(dataOf(output)).toMatchObject({ command_args: { goal: 'G', plan: 'P' } });
  });

  it('shows text files of its task in every round', async () => {
    const attachment = { id: 'n', name: 'note.txt', mimeType: 'text/plain', size: 3, digest: 'd' };
    const input = messageWithAttachments('the task', [attachment], 'T');
    const host = fakeHost({ reply: calls(['search', { query: 'x' }]) });
    const { state } = await round(host, {}, input);
    const later = fakeHost({ reply: calls(['search', { query: 'x' }]), state });

    await round(later);

    const shown = { role: 'user', content: [{ type: 'text' }, { type: 'file', attachment }] };
    expect(host.asked[0]?.messages.at(-1)).toMatchObject(shown);
    expect(later.asked[0]?.messages.at(-1)).toMatchObject(shown);
    expect(later.asked[0]?.messages.filter(({ content }) => typeof content !== 'string')).toHaveLength(1);
  });

  it('stores the reply of its model before the detect function may act on it', async () => {
    const order: string[] = [];
    const detecting = controller(
      new Map([
        [
          'judge',
          () => {
            order.push('judged');
            return { exit: { result: 'done' } };
          },
        ],
      ]),
    );
    const host = fakeHost({
      reply: calls(['finish', {}]),
      storeResults: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        order.push('stored');
      },
    });
    const detect = { type: 'function', config: { name: 'judge' } } as const;

    await detecting.execute({ ...config, detect }, [textMessage('user', 'the task', 'T')], host);

    expect(order).toEqual(['stored', 'judged']);
  });
});
