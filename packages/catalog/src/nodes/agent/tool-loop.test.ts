import type { Host, Message, Outcome, ToolCall } from '@millrace/core';
import { defineTool, messageSize, textMessage } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GivenReply } from '../../../../../test/support/fakes/fake-host.ts';
import { fakeHost, stepAction } from '../../../../../test/support/fakes/fake-host.ts';

import { executeCode } from '../../tools/execute-code.ts';
import { agent } from './agent.ts';
import { AgentConfig } from './agent-config.ts';

const add = defineTool<{ a: number; b: number }>({
  name: 'add',
  module: 'sums',
  description: 'Adds.',
  parameters: z.object({ a: z.int(), b: z.int() }),
  execute: ({ a, b }) => a + b,
});
const boom = defineTool({
  name: 'boom',
  description: 'Fails.',
  parameters: z.object({}),
  execute() {
    throw new Error('kaput');
  },
});
const hang = defineTool({
  name: 'hang',
  description: 'Never ends.',
  parameters: z.object({}),
  execute: () => new Promise(() => {}),
});
const where = defineTool({
  name: 'where',
  description: 'Tells the place.',
  parameters: z.object({}),
  execute: (_args, { node, key }) => `${node} ${key}`,
});
const person = defineTool<{ instruction: string }>({
  name: 'call_user',
  description: 'Asks.',
  parameters: z.object({ instruction: z.string() }),
  question: ({ instruction }) => instruction,
});
const functions = new Map([add, boom, hang, where, person].map((tool) => [tool.name, tool]));

const call = (name: string, args: unknown = {}, id = 'c1'): ToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});
const calls = (...wanted: readonly ToolCall[]): GivenReply => ({ text: '', toolCalls: wanted });
const tooling = (
  names: readonly string[],
  more: Record<string, unknown> = {},
  entry: Record<string, unknown> = {},
) => ({
  type: 'function',
  config: { tools: names.map((name) => ({ name })), ...more },
  ...entry,
});

const all = { tooling: [tooling([...functions.keys()])] };
const input = [textMessage('user', 'hi', 'TASK')];

async function run(
  replies: readonly GivenReply[],
  { config = all, host: given = {} }: { config?: Record<string, unknown>; host?: Partial<Host> } = {},
) {
  const host = fakeHost({ replies, ...given });
  const outcome = await agent(functions).execute(
    AgentConfig.parse({ provider: 'openai', name: 'm', ...config }),
    input,
    host,
  );
  return { host, outcome, output: outputOf(outcome), said: host.asked.map(({ messages }) => messages) };
}

const outputOf = (outcome: Outcome): Message | undefined =>
  outcome.type === 'completed' ? outcome.outputs[0] : undefined;

const done: GivenReply = { text: 'done' };

describe('an agent with tools', () => {
  it('offers them to the model', async () => {
    const { host } = await run([done], { config: { tooling: [tooling(['add'])] } });

    expect(host.asked[0]?.tools).toEqual([
      { name: 'add', description: 'Adds.', parameters: expect.objectContaining({ required: ['a', 'b'] }) },
    ]);
  });

  it('executes the calls of the model in order, and returns the results to it', async () => {
    const { said, output } = await run([calls(call('add', { a: 2, b: 3 }), call('add', { a: 1, b: 1 }, 'c2')), done]);

    expect(said[1]).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [call('add', { a: 2, b: 3 }), call('add', { a: 1, b: 1 }, 'c2')],
      },
      { role: 'tool', content: '5', toolCallId: 'c1' },
      { role: 'tool', content: '2', toolCallId: 'c2' },
    ]);
    expect(output?.content).toBe('done');
  });

  it('makes each call a step', async () => {
    const steps: string[] = [];
    const step: Host['step'] = (name, _request, action) => {
      steps.push(name);
      return action(stepAction());
    };

    await run([calls(call('add', { a: 2, b: 3 }), call('boom')), done], { host: { step } });

    expect(steps).toEqual(['tool add', 'tool boom']);
  });

  it('does not invite the model to run a program again for the result that it has removed', async () => {
    const stdout = 'x'.repeat(4000);
    const runProgram: Host['runProgram'] = async () => ({
      workspace: '',
      script: '',
      stdout,
      stderr: '',
      end: { type: 'exited', code: 0 },
    });
    const usage = { promptTokens: 950, completionTokens: 1, microUsd: 0 };
    const coded = { ...calls(call('execute_code', { code: 'print(1)' })), context: 1000, usage };
    const host = fakeHost({ replies: [coded, coded, done], runProgram });
    const config = { provider: 'openai', name: 'm', tooling: [tooling(['execute_code'])], context: { keep_rounds: 1 } };

    await agent(new Map([[executeCode.name, executeCode]])).execute(AgentConfig.parse(config), input, host);

    const results = host.asked[2]?.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(results).toEqual([expect.stringContaining('do not make it again only to read its result'), stdout]);
  });

  it('emits the beginnings of results alone when they are too long for one message, and keeps all as its context', async () => {
    const long = 'x'.repeat(1_000_000);
    const dump = defineTool({ name: 'dump', description: 'Dumps.', parameters: z.object({}), execute: () => long });
    const host = fakeHost({ replies: [...Array.from({ length: 20 }, () => calls(call('dump'))), done] });

    const outcome = await agent(new Map([['dump', dump]])).execute(
      AgentConfig.parse({ provider: 'openai', name: 'm', tooling: [tooling(['dump'])] }),
      input,
      host,
    );

    const output = outputOf(outcome);
    expect(output && messageSize(output)).toBeLessThan(100_000);
    expect(JSON.stringify(output?.metadata)).toContain('x… (999000 more characters)');
    const context = outcome.type === 'completed' ? (outcome.context ?? []) : [];
    expect(context.filter(({ content }) => content === long)).toHaveLength(20);
  });

  it('emits the trace of its calls, and keeps it as its context', async () => {
    const { output, outcome } = await run([calls(call('add', { a: 2, b: 3 })), done]);

    expect(output?.metadata).toEqual({
      context_trace: [
        {
          role: 'assistant',
          content: '',
          metadata: { source: 'N' },
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }],
        },
        { role: 'tool', content: '5', metadata: { source: 'N', tool_name: 'add' }, tool_call_id: 'c1' },
        { role: 'assistant', content: 'done', metadata: { source: 'N' } },
      ],
      context_trace_complete: true,
    });
    expect(outcome.type === 'completed' && outcome.context?.map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  it('emits no trace without calls', async () => {
    const { outcome } = await run([done]);

    expect(outcome).toEqual({ type: 'completed', outputs: [textMessage('assistant', 'done', 'N')] });
  });

  it.each([
    ['a tool that it does not have', call('nope'), "Error: Tool 'nope' configuration not found."],
    ['a tool that fails', call('boom'), 'Tool boom error: kaput'],
    [
      'arguments of the wrong type',
      call('add', { a: 'x', b: 1 }),
      'Tool add error: invalid arguments: a: Invalid input: expected number, received string',
    ],
  ])('reports to the model %s', async (_what, wanted, content) => {
    const { said, output } = await run([calls(wanted), done]);

    expect(said[1]?.at(-1)).toEqual({ role: 'tool', content, toolCallId: 'c1' });
    expect(output?.content).toBe('done');
  });

  it('reports a tool that fails without its name in compatibility mode, as the original engine', async () => {
    const { said } = await run([calls(call('boom')), done], { host: { compat: true } });

    expect(said[1]?.at(-1)?.content).toBe('error: kaput');
  });

  it.each([
    ['{"a": 9007199254740993, "b": 1}', 'the number 9007199254740993 cannot be passed on exactly'],
    ['{"a": 1.2345678901234567891e19, "b": 1}', 'the number 1.2345678901234567891e19 cannot be passed on exactly'],
    ['{"a": 1e999, "b": 1}', 'the number 1e999 cannot be passed on exactly'],
    [`{"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 'the arguments nest too deeply'],
  ])('makes no call with other arguments than the model wrote: %.40s', async (text, problem) => {
    for (const compat of [false, true]) {
      const { said } = await run([calls(call('add', text)), done], { host: { compat } });

      expect(said[1]?.at(-1)?.content).toContain(problem);
    }
  });

  it.each(['{a', '[1]'])(
    'tells the model of the arguments %s twice, and executes nothing of its reply',
    async (text) => {
      const wanted = calls(call('add', { a: 1, b: 1 }), call('add', text, 'c2'));
      const told =
        'Your call of add was not executed, as its arguments are not a JSON object. Call again with valid arguments.';

      const { said, output } = await run([wanted, wanted, done]);

      expect(said[2]).toEqual([...(said[0] ?? []), { role: 'user', content: told }]);
      expect(output?.content).toBe('done');
      await expect(run([wanted, wanted, wanted])).rejects.toMatchObject({ code: 'MODEL_CALL_MALFORMED' });
    },
  );

  it('treats unreadable arguments as absent in compatibility mode', async () => {
    const { said } = await run([calls(call('where', 'not JSON')), done], { host: { compat: true } });

    expect(said[1]?.at(-1)?.content).toMatch(/^N run_1\.a1\.1\.[0-9a-f]{16}$/);
  });

  it('aborts a tool that takes too long', async () => {
    const { said } = await run([calls(call('hang')), done], {
      config: { tooling: [tooling(['hang'], { timeout: 0.05 })] },
    });

    expect(said[1]?.at(-1)?.content).toBe('Tool hang error: it did not finish within 0.05 s');
  });

  it('aborts a running tool when the run is cancelled', async () => {
    const over = new AbortController();
    const step: Host['step'] = (_name, _request, action) => action(stepAction({ signal: over.signal }));
    const running = run([calls(call('hang')), done], { host: { step } });

    over.abort(new Error('cancelled'));

    await expect(running).rejects.toThrow('cancelled');
  });

  it('passes to a tool where it is called, and a key for each call', async () => {
    const { said } = await run([calls(call('where'), call('where', {}, 'c2')), calls(call('where', {}, 'c3')), done]);

    const keys = said[2]?.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
    expect(keys?.map((key) => key.replace(/\.[0-9a-f]{16}$/, ''))).toEqual([
      'N run_1.a1.1',
      'N run_1.a1.2',
      'N run_1.a1.3',
    ]);
  });

  it('gives another call at the same place another key, and the same call the same key', async () => {
    const keyWith = async (args: object, id: string) =>
      (await run([calls(call('where', args, id)), done])).said[1]?.at(-1)?.content;

    expect(await keyWith({}, 'c2')).toBe(await keyWith({}, 'c1'));
    expect(await keyWith({ of: 'Rome' }, 'c1')).not.toBe(await keyWith({}, 'c1'));
  });

  it('stops at the limit of rounds and says that it has not finished', async () => {
    const wanted = calls(call('add', { a: 1, b: 1 }));

    const { host, output } = await run([wanted, wanted, wanted], {
      config: { ...all, params: { tool_loop_limit: 2 } },
      host: { compat: true },
    });

    expect(host.asked).toHaveLength(3);
    expect(output?.metadata?.['context_trace_complete']).toBe(false);
    expect(output?.toolCalls).toHaveLength(1);
  });

  it('asks once more without calls at the limit of rounds, accepts the last text, or fails', async () => {
    const wanted = { ...calls(call('add', { a: 1, b: 1 })), text: 'so far' };
    const limited = (on_tool_limit?: string) => ({ config: { ...all, on_tool_limit, params: { tool_loop_limit: 1 } } });
    const warnings: string[] = [];
    const warn = ({ code }: { code: string }) => void warnings.push(code);

    const answered = await run([wanted, wanted, done], { ...limited(), host: { warn } });
    const accepted = await run([wanted, wanted], { ...limited('accept'), host: { warn } });

    expect(answered.host.asked.map(({ toolChoice }) => toolChoice)).toEqual([undefined, undefined, 'none']);
    expect(answered.output).toMatchObject({ content: 'done' });
    expect(accepted.output).toMatchObject({ content: 'so far' });
    expect(accepted.output?.toolCalls).toBeUndefined();
    expect(warnings).toEqual(['W_TOOL_LIMIT', 'W_TOOL_LIMIT']);
    await expect(run([wanted, wanted], limited('fail'))).rejects.toMatchObject({ code: 'TOOL_ROUNDS_EXCEEDED' });
  });
});

describe('the names of tools', () => {
  it('have the prefix of their entry', async () => {
    const { host, said } = await run([calls(call('x_add', { a: 1, b: 1 }), call('add', { a: 1, b: 1 }, 'c2')), done], {
      config: { tooling: [tooling(['add'], {}, { prefix: 'x' })] },
    });

    expect(host.asked[0]?.tools?.map(({ name }) => name)).toEqual(['x_add']);
    expect(said[1]?.slice(-2).map(({ content }) => content)).toEqual([
      '2',
      "Error: Tool 'add' configuration not found.",
    ]);
  });

  it('can be those of a whole module', async () => {
    const { host } = await run([done], { config: { tooling: [tooling(['sums:All'])] } });

    expect(host.asked[0]?.tools?.map(({ name }) => name)).toEqual(['add']);
  });

  it('are unique', async () => {
    const twice = run([done], { config: { tooling: [tooling(['add']), tooling(['add'])] } });

    await expect(twice).rejects.toMatchObject({ code: 'TOOL_DUPLICATE' });
  });

  it('can be set by the author, also with descriptions', async () => {
    const parameters = { type: 'object', properties: { a: { type: 'number' } } };
    const { host } = await run([done], {
      config: {
        tooling: [{ type: 'function', config: { tools: [{ name: 'add', description: 'Sums up.', parameters }] } }],
      },
    });

    expect(host.asked[0]?.tools).toEqual([{ name: 'add', description: 'Sums up.', parameters }]);
  });

  it.each([
    ['boon', 'There is no function "boon" for models to call.', 'Did you mean "boom"?'],
    ['maths:All', 'There is no module of functions "maths".', 'The modules are: sums.'],
  ])('must exist: %s does not', (name, message, hint) => {
    const config = AgentConfig.parse({ provider: 'openai', name: 'm', tooling: [tooling([name])] });

    expect(agent(functions).check?.(config)).toEqual([
      { code: 'E_TOOL_UNKNOWN', severity: 'error', path: ['tooling', 0, 'config', 'tools', 0, 'name'], message, hint },
    ]);
  });
});

describe('a tool whose result comes from a person', () => {
  const asking = calls(call('call_user', { instruction: 'Your name?' }));
  const wait = { kind: 'human', prompt: 'Your name?', input: '=== INPUT FROM TASK (user) ===\n\nhi' };

  it('suspends the agent', async () => {
    const { outcome } = await run([asking], { host: { ask: async () => undefined } });

    expect(outcome).toEqual({ type: 'suspended', wait });
  });

  it('returns the answer to the model', async () => {
    const { said } = await run([asking, done], { host: { ask: async () => textMessage('user', 'Ada', 'person') } });

    expect(said[1]?.at(-1)).toEqual({ role: 'tool', content: 'Ada', toolCallId: 'c1' });
  });
});
