import { createVocabulary } from '@millrace/catalog';
import type { Vocabulary } from '@millrace/core';
import { tokensOf } from '@millrace/core/usage';
import type { RunDescription } from '@millrace/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBeforeAll } from '../../support/fixtures.ts';
import { longestReply } from '../../support/provider/longest-reply.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { audit } from '../../support/runs/audit.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';
import { endedRun } from '../../support/runs/watching.ts';

const vocabulary: Vocabulary = createVocabulary();

/** A model that counts a token per character, and answers with as many as it may. */
const model = openBeforeAll(() => startFakeProvider({ reply: longestReply }));
const installation = newInstallation();
let stage: Stage;
beforeAll(async () => {
  const where = installation.where;
  stage = await openStage({ where, secret: () => 'key' });
});
afterAll(async () => {
  await stage.close();
});

const agent = (id: string, more = ''): string =>
  `{id: ${id}, type: agent, config: {provider: openai, name: m, base_url: '${model.at('ok')}', api_key: k, params: {max_tokens: 100${more}}}}`;

const mapOver = (budget: string, parallel = 50): string => `
graph:
  id: map
  ${budget}
  prices: {m: {input: 1, output: 2}}
  nodes: [{id: Source, type: passthrough, config: {}}, ${agent('Each')}]
  edges: [{from: Source, to: Each, dynamic: {type: map, config: {split_type: lines, max_parallel: ${parallel}}}}]
`;

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `unit ${n}`).join('\n');

describe('usage', () => {
  it('is reported for each run and node, with its cost', async () => {
    const { description } = await stage.run(mapOver(''), 'one\ntwo');

    const expected = { calls: 2, promptTokens: 6, completionTokens: 200, microUsd: 406 };
    expect(description.usage).toEqual(expected);
    expect(description.usageByNode).toEqual({ Each: expected });
    expect(description.budget).toBeUndefined();
  });

  it('reports how many calls have no price', async () => {
    const yaml = mapOver('').replace(/prices:.*\n/, '\n');
    const { description } = await stage.run(yaml, 'one\ntwo');

    expect(description.usage).toEqual({ calls: 2, promptTokens: 6, completionTokens: 200, unpriced: 2 });
  });
});

describe('a budget', () => {
  it('stops a run before the call that exceeds it', async () => {
    const before = model.requests.length;
    const { description } = await stage.run(mapOver('budget: {tokens: 2000}'), lines(60));

    expect(description).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
    expect(description.stop?.text).toMatch(/The budget of 2000 tokens is used up: \d+ are spent/);
    const { budget, usage } = description;
    expect(tokensOf(usage)).toBeLessThanOrEqual(2000);
    expect(budget?.spent.tokens).toBe(tokensOf(usage));
    expect(budget?.reserved.tokens).toBe(0);
    expect(usage.calls).toBe(model.requests.length - before);
    // All of it was used but for less than what one more call might take.
    expect(usage.calls).toBeGreaterThan(14);
  });

  it('continues with a larger budget', async () => {
    const { description } = await stage.run(mapOver('budget: {usd: 0.003}'), lines(30));
    expect(description).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
    expect(description.usage.microUsd).toBeLessThanOrEqual(3000);

    await stage.runtime.runs.resume(description.run, [], { budget: { microUsd: 100_000 } });

    const ended = await untilEnd(description.run);
    expect(ended).toMatchObject({ status: 'completed', usage: { calls: 30 } });
    expect(ended?.budget?.limit).toEqual({ microUsd: 100_000 });
  });
});

describe('an exhausted budget', () => {
  it('lets exit nodes run as far as they cost nothing', async () => {
    const yaml = `
graph:
  id: last
  start: A
  end: A
  budget: {tokens: 10}
  termination: {type: external, exit_to: [Paid, Free]}
  nodes: [${agent('A')}, ${agent('Paid')}, {id: Free, type: passthrough, config: {}}]
`;
    const { description } = await stage.run(yaml, 'task');

    expect(description).toMatchObject({
      status: 'terminated',
      stop: { code: 'budget' },
      error: { code: 'EXIT_WAITS' },
    });
    expect(description.outputs).toEqual({ Free: expect.stringContaining('The budget of 10 tokens is used up') });
    expect(await audit(stage.runtime.store, description.run, vocabulary)).toEqual([]);
  });
});

describe('a budget that asks', () => {
  it('asks one person once, and continues with the approved amount', async () => {
    const yaml = mapOver('budget: {tokens: 1200, on_exceeded: ask}');
    const said = ['whatever you like', '5000 tokens'];
    const { description, journal } = await stage.run(yaml, lines(20), ({ asked }) => {
      return said[asked - 1] ?? 'stop';
    });

    const questions = journal.flatMap(({ event }) => (event.type === 'activation.suspended' ? [event.wait] : []));
    expect(questions.map(({ kind }) => kind)).toEqual(['budget', 'budget']);
    expect(questions[0]?.prompt).toMatch(/^The budget of 1200 tokens is used up: .* Write \d+ tokens, or stop\.$/);
    expect(questions[1]?.prompt).toMatch(/^That was not understood\. The budget/);
    expect(description).toMatchObject({ status: 'completed', usage: { calls: 20 } });
    expect(await audit(stage.runtime.store, description.run, vocabulary)).toEqual([]);
  });

  it('stops on request, and can be resumed', async () => {
    const yaml = mapOver('budget: {tokens: 1200, on_exceeded: ask}');
    const { description } = await stage.run(yaml, lines(20), () => 'stop');
    expect(description).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
    expect(await audit(stage.runtime.store, description.run, vocabulary)).toEqual([]);

    await stage.runtime.runs.resume(description.run, [], { budget: { tokens: 9000 } });

    expect(await untilEnd(description.run)).toMatchObject({ status: 'completed', usage: { calls: 20 } });
  });
});

it('requires the price of a model before its call', async () => {
  const before = model.requests.length;
  const yaml = mapOver('budget: {usd: 1}').replace(/prices:.*\n/, '\n');
  const { description } = await stage.run(yaml, 'one');

  expect(description).toMatchObject({ status: 'failed', error: { code: 'PRICE_UNKNOWN' } });
  expect(model.requests).toHaveLength(before);
});

it('limits the length of replies where the workflow does not', async () => {
  const yaml = mapOver('budget: {tokens: 1500}').replace(', params: {max_tokens: 100}', '');
  const { description } = await stage.run(yaml, 'one');

  const most = model.requests.map(({ body }) => (body as { max_tokens: number }).max_tokens).at(-1);
  expect(most).toBeGreaterThan(1000);
  expect(description.usage.completionTokens).toBe(most);
  expect(description).toMatchObject({ status: 'completed' });
});

it('counts the calls of subgraphs', async () => {
  const yaml = `
graph:
  id: outer
  start: [Source]
  budget: {tokens: 600}
  nodes:
    - {id: Source, type: passthrough, config: {}}
    - id: Inner
      type: subgraph
      config: {type: config, config: {id: inner, nodes: [${agent('Deep')}]}}
    - ${agent('Last')}
  edges: [{from: Source, to: Inner}, {from: Inner, to: Last}]
`;
  const { description } = await stage.run(yaml, 'x'.repeat(300));

  expect(description).toMatchObject({ status: 'terminated', usage: { calls: 1 } });
  expect(Object.keys(description.usageByNode)).toEqual(['Inner/Deep']);
});

async function untilEnd(run: string): Promise<RunDescription> {
  const { runs } = stage.runtime;
  const seen = (await runs.describe(run))?.seen ?? '0';
  return endedRun(runs, run, seen);
}
