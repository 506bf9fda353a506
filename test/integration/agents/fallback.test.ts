import type { JournalEntry } from '@millrace/core';
import { defineTool } from '@millrace/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import type { Reply } from '../../support/provider/reply.ts';
import { journalOf } from '../../support/runs/audit.ts';
import { billedMicroUsd } from '../../support/runs/billed-workflow.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';
import { sendVendorsToFake } from '../../support/runs/vendors-at-fake.ts';
import { untilEnded } from '../../support/runs/watching.ts';

const rounds = 4;
/** Models that give no answer, and how; the first requests of a model may be answered. */
let down: Readonly<Record<string, { readonly after?: number; readonly reply: Reply }>> = {};
let asked: string[] = [];
beforeEach(() => {
  down = {};
  asked = [];
});

const provider = openBeforeEach(() =>
  startFakeProvider({
    reply({ model, tools, rounds: round }) {
      const before = asked.filter((one) => one === model).length;
      asked.push(model);
      const broken = down[model];
      if (broken !== undefined && before >= (broken.after ?? 0)) return broken.reply;
      return tools.length === 0 || round >= rounds
        ? { text: `Said by ${model}.` }
        : { text: 'I look.', thoughts: 'Hm.', calls: [{ name: 'look', arguments: { page: round } }] };
    },
  }),
);
const look = defineTool({
  name: 'look',
  description: 'Looks.',
  parameters: z.object({ page: z.number() }),
  execute: () => 'x'.repeat(2000),
});
const stage = openBeforeEach(async (): Promise<Stage> => {
  const opened = await openStage({ where: { local: true }, secret: () => 'key', extensions: { tools: [look] } });
  sendVendorsToFake(opened.vocabulary, provider);
  return opened;
});

const claude = 'provider: anthropic, name: claude-sonnet-5-5';
const gpt = 'provider: openai, name: gpt-6-sol';
const gemini = 'provider: gemini, name: gemini-3.5-flash';
const retry = 'retry: {max_attempts: 2, min_wait_seconds: 0, max_wait_seconds: 0}';
const tooling = 'tooling: [{type: function, config: {tools: [{name: look}]}}]';
const once = 'retry: {max_attempts: 1}';
const graphOf = (fields: string, ofGraph = '', retries = retry) => `
graph:
  id: g
  ${ofGraph}
  nodes:
    - {id: A, type: agent, config: {${fields}, ${retries}}}
`;

const stepsOf = (journal: readonly JournalEntry[]) =>
  journal.flatMap(({ event }) =>
    event.type === 'step.started' && event.name.startsWith('chat ')
      ? [[event.name, ...(event.insteadOf === undefined ? [] : [`instead of ${event.insteadOf}`])].join(' ')]
      : [],
  );
const warningsOf = ({ description }: Awaited<ReturnType<Stage['run']>>) =>
  description.warnings.latest.map(({ code, message }) => `${code}: ${message}`);

it('ends every run on another model when the first one is down', async () => {
  down = { 'claude-sonnet-5-5': { reply: { refuse: 529, message: 'Overloaded' } } };

  const ended = await Promise.all(
    Array.from({ length: 10 }, () => stage.run(graphOf(`${claude}, fallback: [{${gpt}}]`), 'go')),
  );

  expect(ended.map(({ description }) => description.outputs)).toEqual(Array(10).fill({ A: 'Said by gpt-6-sol.' }));
  expect(asked.filter((model) => model === 'gpt-6-sol')).toHaveLength(10);
  expect(asked).toHaveLength(30);
  const [first] = ended;
  expect(first && stepsOf(first.journal)).toEqual([
    'chat claude-sonnet-5-5',
    'chat claude-sonnet-5-5',
    'chat gpt-6-sol instead of claude-sonnet-5-5',
  ]);
  expect(first && warningsOf(first)).toEqual([
    'W_FALLBACK_USED: The model "claude-sonnet-5-5" gave no answer (MODEL_SERVER_ERROR), so "gpt-6-sol" was asked in its place.',
  ]);
});

describe('another model', () => {
  const refused = (refuse: number, message: string, more = {}): Reply => ({ refuse, message, ...more });
  const cases: readonly (readonly [string, Reply, string])[] = [
    ['unavailable', refused(503, 'Down'), ''],
    ['unavailable', { hangUp: 'before' }, ''],
    ['quota', refused(429, 'Slow down'), ''],
    ['quota', refused(429, 'You exceeded your current quota', { code: 'insufficient_quota' }), ''],
    ['missing', refused(404, 'No such model'), ''],
    ['refusal', { text: '', end: 'refusal' }, ', when: [refusal]'],
    ['context', refused(400, 'Too long', { code: 'context_length_exceeded' }), ', when: [context]'],
  ];

  it.each(cases)('is asked for the reason %s (%j)', async (_reason, reply, when) => {
    down = { 'gpt-6-sol': { reply } };
    const { description } = await stage.run(graphOf(`${gpt}, fallback: [{${claude}${when}}]`, '', once), 'go');
    expect(description.outputs).toEqual({ A: 'Said by claude-sonnet-5-5.' });
  });

  it.each([
    ['MODEL_BAD_REQUEST', refused(400, 'You are wrong'), ''],
    ['MODEL_AUTH', refused(401, 'Who are you?'), ''],
    ['MODEL_REFUSED', { text: '', end: 'refusal' } as Reply, ''],
    ['MODEL_SERVER_ERROR', refused(503, 'Down'), ', when: [quota]'],
  ])('is not asked for %s', async (code, reply, when) => {
    down = { 'gpt-6-sol': { reply } };
    const { description } = await stage.run(graphOf(`${gpt}, fallback: [{${claude}${when}}]`), 'go');
    expect(description.error?.code).toBe(code);
    expect(asked).not.toContain('claude-sonnet-5-5');
  });

  it('is the next one whose reasons fit, and the failure of the last one names those before it', async () => {
    const busy: Reply = { refuse: 503, message: 'Down' };
    down = { 'gpt-6-sol': { reply: busy }, 'gpt-6-luna': { reply: { refuse: 404, message: 'Gone' } } };
    const luna = 'provider: openai, name: gpt-6-luna';
    const fallback = `fallback: [{${claude}, when: [context]}, {${luna}}]`;
    const { description } = await stage.run(graphOf(`${gpt}, ${fallback}`), 'go');

    expect(description.error).toMatchObject({
      code: 'MODEL_NOT_FOUND',
      message: expect.stringMatching(/The models before it gave no answer: MODEL_SERVER_ERROR\.$/),
    });
    expect(asked).toEqual(['gpt-6-sol', 'gpt-6-sol', 'gpt-6-luna']);
  });

  it('gets the time limit and the longest answer of the agent, and no other of its params', async () => {
    down = { 'gpt-6-sol': { reply: { refuse: 503, message: 'Down' } } };
    const params = 'params: {max_tokens: 77, effort: low, stream: false}';
    await stage.run(graphOf(`${gpt}, ${params}, fallback: [{${claude}}]`), 'go');

    const sent = provider.requests.at(-1)?.body;
    expect(sent).toMatchObject({ model: 'claude-sonnet-5-5', max_tokens: 77 });
    expect(JSON.stringify(sent)).not.toContain('effort');
  });
});

describe('a loop with tools whose model breaks off', () => {
  it.each([
    [claude, gpt],
    [gpt, claude],
    [claude, gemini],
    [gemini, claude],
  ])('goes on with another vendor to its end, within its budget: %s, %s', async (first, second) => {
    const [one = '', other = ''] = [first, second].map((model) => model.split('name: ')[1]);
    down = { [one]: { after: 2, reply: { refuse: 503, message: 'Down' } } };

    const ended = await stage.run(graphOf(`${first}, fallback: [{${second}}], ${tooling}`, 'budget: {usd: 10}'), 'go');

    expect(provider.refusals).toEqual([]);
    expect(ended.description).toMatchObject({ status: 'completed', outputs: { A: `Said by ${other}.` } });
    expect(asked).toEqual([one, one, one, one, other, other, other]);
    expect(ended.description.budget?.spent.microUsd).toBe(billedMicroUsd(provider));
    expect(ended.description.warnings.count).toBe(1);
  });

  it('stays there when the first one is back', async () => {
    const busy: Reply = { refuse: 503, message: 'Down' };
    provider.say('claude-sonnet-5-5', busy, busy);

    await stage.run(graphOf(`${claude}, fallback: [{${gpt}}], ${tooling}`), 'go');

    expect(new Set(asked)).toEqual(new Set(['gpt-6-sol']));
  });
});

it('reserves for a conversation that grows what the provider has counted, and the new bytes', async () => {
  const { journal } = await stage.run(graphOf(`${claude}, ${tooling}`, 'budget: {usd: 10}'), 'go');

  const reserved = journal.flatMap(({ event }) => (event.type === 'step.reserved' ? [event.amount.tokens] : []));
  const bytes = Buffer.byteLength(JSON.stringify(provider.requests.at(-1)?.body));
  // Four bytes are a token for this provider; the answer may have 16,384.
  expect((reserved.at(-1) ?? 0) - 16_384).toBeLessThan(bytes / 4 + 4000);
});

it('takes the key of each model where the worker has it, and stores none', async () => {
  const keys: Readonly<Record<string, string>> = { FIRST_KEY: 'secret-one', SECOND_KEY: 'secret-two' };
  const other = await openStage({ where: { local: true }, secret: (name) => keys[name] });
  sendVendorsToFake(other.vocabulary, provider);
  down = { 'claude-sonnet-5-5': { reply: { refuse: 503, message: 'Down' } } };
  const first = `${claude}, api_key: '\${FIRST_KEY}'`;

  const { journal } = await other.run(graphOf(`${first}, fallback: [{${gpt}, api_key: '\${SECOND_KEY}'}]`), 'go');
  const open = await other.run(graphOf(`${first}, fallback: [{${gpt}}]`), 'go');
  await other.close();

  expect(
    provider.requests.map(({ headers }) =>
      (headers['x-api-key'] ?? headers.authorization)?.toString().replace('Bearer ', ''),
    ),
  ).toEqual([...['secret-one', 'secret-one', 'secret-two'], ...['secret-one', 'secret-one']]);
  expect(JSON.stringify(journal)).not.toContain('secret-');
  expect(open.description.error?.code).toBe('MODEL_AUTH');
});

describe('a replay', () => {
  it.each(['same', 'reuse'] as const)('of a run that another model has answered asks nobody (%s)', async (mode) => {
    down = { 'claude-sonnet-5-5': { after: 2, reply: { refuse: 503, message: 'Down' } } };
    const { description, journal } = await stage.run(graphOf(`${claude}, fallback: [{${gpt}}], ${tooling}`), 'go');
    const before = asked.length;
    down = {};

    const { runs, store } = stage.runtime;
    const replay = await runs.replay(description.run, mode === 'reuse' ? { mode } : {});
    await untilEnded(runs, replay);

    expect(asked).toHaveLength(before);
    expect(await runs.describe(replay)).toMatchObject({ status: 'completed', outputs: description.outputs });
    expect(stepsOf(await journalOf(store, replay))).toEqual(stepsOf(journal));
    expect((await runs.describe(replay))?.warnings.count).toBe(1);
  });
});
