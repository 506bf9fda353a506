import type { CallToApprove, DecidedCall, Host, Message, Outcome, ProgramRun, ToolCall } from '@millrace/core';
import { CallUndecided, defineTool, omitUndefined, textMessage, textOf } from '@millrace/core';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { fakeHost, stepAction } from '../../../../../../test/support/fakes/fake-host.ts';
import { createVocabulary } from '../../../index.ts';
import { agent } from '../agent.ts';
import { AgentConfig } from '../agent-config.ts';

/** Arguments and keys of the calls that were made. */
const made: [unknown, string][] = [];
beforeEach(() => {
  made.length = 0;
});
const pay = defineTool<{ to: string }>({
  name: 'pay',
  description: 'Pays.',
  parameters: z.object({ to: z.string() }),
  effect: 'once',
  execute(args, { key }) {
    made.push([args, key]);
    return `paid ${args.to}`;
  },
});
const tools = createVocabulary({ tools: [pay] }).tools;

const call = (name: string, args: unknown, id = 'c1'): ToolCall => ({
  id,
  name,
  arguments: typeof args === 'string' ? args : JSON.stringify(args),
});

type Decide = (asked: Omit<CallToApprove, 'rule'>) => DecidedCall | undefined;

const question = ({ place, tool, arguments: args, rule, repetition }: CallToApprove) => ({
  place,
  repetition,
  tool,
  arguments: JSON.stringify(args),
  parameters: '{}',
  rule,
  hash: `${place}`,
});

/** Runs an agent whose model makes these calls, with people who decide like this; `lost` calls have an unknown outcome. */
async function run(
  calls: readonly ToolCall[],
  decide: Decide,
  {
    policy = [{ do: 'ask' }] as readonly unknown[],
    lost = 0,
    ...given
  }: Partial<Host> & { policy?: readonly unknown[]; lost?: number } = {},
) {
  let unknown = 0;
  const asked: CallToApprove[] = [];
  const host = fakeHost({
    replies: [{ text: '', toolCalls: calls }, { text: 'done' }],
    undecided: async (one) => (decide(one) === undefined ? question(one) : undefined),
    decisionOn: async (one) => decide(one),
    // As the host does it: a call that a person must approve is not made before, and its action gets the decision.
    step: async (_name, _request, action, terms) => {
      const { approval, once } = typeof terms === 'object' ? terms : {};
      const doing = omitUndefined({ runProgram: given.runProgram });
      if (approval === undefined) return action(stepAction(doing));
      asked.push(approval);
      const decided = decide(approval);
      if (decided === undefined) throw new CallUndecided(question(approval));
      if (decided.type === 'approved' && once !== undefined && unknown++ < lost) return once.unknown;
      return action(stepAction({ ...doing, decided }));
    },
    ...given,
  });
  const names = [...new Set(calls.map(({ name }) => name))].map((name) => ({ name }));
  const tooling = [{ type: 'function', config: { tools: names }, policy, on_unknown: { pay: 'ask' } }];
  if (!names.some(({ name }) => name === 'pay')) Reflect.deleteProperty(tooling[0] as object, 'on_unknown');
  const config = AgentConfig.parse({ provider: 'openai', name: 'm', tooling });
  const outcome: Outcome = await agent(tools).execute(config, [textMessage('user', 'go', 'TASK')], host);
  const told = (host.asked.at(-1)?.messages ?? []).flatMap((one) =>
    one.role === 'tool' ? [textOf(one as Message)] : [],
  );
  return { outcome, told, asked };
}

const approve: Decide = ({ arguments: args }) => ({ type: 'approved', arguments: args });
const undecided: Decide = () => undefined;

describe('a call that a person must approve', () => {
  it('is asked about with the others of its reply, after the calls before it', async () => {
    const policy = [{ tool: 'pay', when: { path: 'to', equals: 'ann' }, do: 'allow' }, { do: 'ask' }];
    const calls = ['ann', 'bob', 'ann', 'eve'].map((to) => call('pay', { to }));

    const { outcome } = await run(calls, undecided, { policy });

    expect(outcome).toMatchObject({
      type: 'suspended',
      wait: { kind: 'approval', prompt: 'May "N" call "pay", "pay"?' },
      calls: [{ place: 2 }, { place: 4 }],
    });
    expect(made.map(([args]) => args)).toEqual([{ to: 'ann' }]);
  });

  it.each([
    ['many', 500, 'x', 50],
    ['long', 20, 'x'.repeat(90_000), 11],
  ])('is asked about with as many others as people can read: %s', async (_what, number, to, most) => {
    const calls = Array.from({ length: number }, () => call('pay', { to }));

    const { outcome } = await run(calls, undecided);

    expect(outcome).toMatchObject({ type: 'suspended', calls: { length: most } });
  });

  it('is made as the model made it, or with the arguments of the person and a key of its own', async () => {
    const calls = [call('pay', { to: 'bob' })];
    const { told } = await run(calls, approve);
    const edited = await run(calls, () => ({ type: 'approved', arguments: { to: 'eve' }, edited: true }));

    expect([told, edited.told]).toEqual([
      ['paid bob'],
      ['A person has changed the arguments of this call. It was made with {"to":"eve"}.\n\npaid eve'],
    ]);
    expect(made.map(([args]) => args)).toEqual([{ to: 'bob' }, { to: 'eve' }]);
    expect(new Set(made.map(([, key]) => key)).size).toBe(2);
  });

  it.each([
    [
      'a rule denies',
      5000,
      [{ tool: 'pay', when: { path: 'amount', above: 1000 }, do: 'deny' }, { do: 'ask' }],
      'a rule does',
    ],
    ['nobody could read', 'x'.repeat(100_001), [{ do: 'ask' }], 'its arguments have more than'],
  ])('is not made with arguments of a person that %s', async (_why, amount, policy, reason) => {
    const edited: Decide = () => ({ type: 'approved', arguments: { to: 'eve', amount }, edited: true });

    const { told } = await run([call('pay', { to: 'bob' })], edited, { policy });

    expect(made).toEqual([]);
    expect(told).toEqual([expect.stringContaining('A person has changed the arguments of this call to {"to":"eve"')]);
    expect(told).toEqual([expect.stringContaining(`Tool pay was not called: ${reason}`)]);
  });

  it('is not made with arguments of a person that a rule denies, whenever the person decides', async () => {
    const policy = [
      { tool: 'pay', when: { path: 'to', equals: 'eve' }, do: 'deny', reason: 'Not eve.' },
      { do: 'ask' },
    ];
    const edited: Decide = () => ({ type: 'approved', arguments: { to: 'eve' }, edited: true });

    const { told } = await run([call('pay', { to: 'bob' })], edited, { policy, decisionOn: async () => undefined });

    expect([told, made]).toEqual([[expect.stringContaining('Not eve.')], []]);
  });

  it('is not made when a person has rejected it and no policy asks any more', async () => {
    const policy = [{ do: 'allow' }];

    const { told } = await run([call('pay', { to: 'bob' })], () => ({ type: 'rejected', reason: 'No.' }), { policy });

    expect([told, made]).toEqual([['Tool pay was not called: a person has rejected it: No.'], []]);
  });

  it.each([
    [{ type: 'rejected' }, 'a person has rejected it.'],
    [{ type: 'rejected', reason: 'No.' }, 'a person has rejected it: No.'],
    [{ type: 'rejected', expired: true }, 'a person had to approve it, and nobody did in time.'],
  ] as const)('is not made after %j', async (decided, reason) => {
    const { told } = await run([call('pay', { to: 'bob' })], () => decided);

    expect([told, made]).toEqual([[`Tool pay was not called: ${reason}`], []]);
  });

  it.each([
    ['rejects', [{ do: 'ask' }], 'a person has rejected it.'],
    ['denies', [{ do: 'deny', reason: 'Not today.' }], 'Not today.'],
  ])('may have been made by an interrupted attempt before somebody %s it', async (_does, policy, reason) => {
    const step: Host['step'] = (_name, _request, action) =>
      action(stepAction({ begun: true, ...(policy[0]?.do === 'ask' ? { decided: { type: 'rejected' } } : {}) }));

    const { told } = await run([call('pay', { to: 'bob' })], () => ({ type: 'rejected' }), { policy, step });

    const text = 'Tool pay may have been called: this call was begun, and its result is lost. It was not called again:';
    expect([told, made]).toEqual([[`${text} ${reason}`], []]);
  });

  it('cannot be asked about when nobody could read what is sent', async () => {
    const { told, asked } = await run(
      [
        call('pay', { to: 'x'.repeat(100_001) }),
        call('pay', '{"to":"bob","n":1e999}'),
        call('pay', '{"to":"\\ud800"}'),
      ],
      approve,
    );

    expect([asked, made]).toEqual([[], []]);
    expect(told).toEqual([
      expect.stringContaining('more than 100,000 characters'),
      expect.stringContaining('the number 1e999 cannot be passed on exactly'),
      expect.stringContaining('JSON cannot show'),
    ]);
  });

  it('needs a further approval when a person says that it did not happen', async () => {
    const ask = async () => textMessage('user', 'did not happen', 'USER');

    const { told, asked } = await run([call('pay', { to: 'bob' })], approve, { lost: 1, ask });

    expect(asked.map(({ place, repetition }) => [place, repetition])).toEqual([
      [1, 0],
      [1, 1],
    ]);
    expect([told, made.length]).toEqual([['paid bob'], 1]);
  });
});

it('is shown with the arguments that were sent when its outcome is unknown', async () => {
  const ask = vi.fn<Host['ask']>(async () => undefined);
  const edited: Decide = () => ({ type: 'approved', arguments: { to: 'eve\u200b' }, edited: true });

  await run([call('pay', { to: 'bob' })], edited, { lost: 1, ask });

  expect(ask.mock.lastCall?.[0].prompt).toContain('Arguments: {"to":"eve\\u200b"}');
});

describe('a program that a tool runs', () => {
  const ran: string[] = [];
  const runProgram: Host['runProgram'] = async ({ script }) => {
    ran.push(typeof script === 'string' ? script : JSON.stringify(script));
    return {
      workspace: '/w',
      script: '/w/s.py',
      stdout: 'ok',
      stderr: '',
      end: { type: 'exited', code: 0 },
    } satisfies ProgramRun;
  };
  const code = call('execute_code', { code: 'print(1)' });
  beforeEach(() => {
    ran.length = 0;
  });

  it('is run once it is approved, as it was approved', async () => {
    const waiting = await run([code], undecided, { runProgram });
    expect([waiting.outcome.type, ran]).toEqual(['suspended', []]);

    await run([code], approve, { runProgram });
    const { told } = await run([code], () => ({ type: 'approved', arguments: { code: 'print(2)' }, edited: true }), {
      runProgram,
    });

    expect(ran.map((script) => /print\(\d\)/.exec(script)?.[0])).toEqual(['print(1)', 'print(2)']);
    expect(told[0]).toContain('It was made with {"code":"print(2)"}.');
  });

  it('is not run with code of a person that a rule denies', async () => {
    const policy = [{ when: { path: 'code', equals: 'rm' }, do: 'deny' }, { do: 'ask' }];
    const edited: Decide = () => ({ type: 'approved', arguments: { code: 'rm' }, edited: true });

    const { told } = await run([code], edited, { runProgram, policy });

    expect([told, ran]).toEqual([[expect.stringContaining('was not called: a rule does not allow it')], []]);
  });

  it.each([
    ['rejected', [{ do: 'ask' }], 'a person has rejected it.'],
    [
      'denied',
      [{ annotation: 'destructive', do: 'deny' }],
      'a rule does not allow it (policy: tools that are destructive).',
    ],
  ])('is not run when it is %s', async (_how, policy, reason) => {
    const { told } = await run([code], () => ({ type: 'rejected' }), { runProgram, policy });

    expect([told, ran]).toEqual([[`Tool execute_code was not called: ${reason}`], []]);
  });
});
