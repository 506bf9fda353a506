import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { newInstallation } from '../../support/redis/installation.ts';
import { billedMicroUsd, billedWays, billedWorkflow, billing, lines } from '../../support/runs/billed-workflow.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { openStage } from '../../support/runs/stage.ts';

const provider = openBeforeEach(() => startFakeProvider(billing));
const installation = newInstallation();
let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ where: installation.where });
});
afterAll(async () => {
  await stage.close();
});

it('spends exactly what the provider bills: writes, tiers, long prompts, a routed model and searches', async () => {
  const { description } = await stage.run(billedWorkflow(provider, '{usd: 50}', billedWays), lines(2));

  expect(description.error).toBeUndefined();
  expect(description).toMatchObject({ status: 'completed', usage: { calls: 2 * billedWays.length } });
  const { budget, usage } = description;
  expect(budget?.spent.microUsd).toBe(billedMicroUsd(provider));
  expect(budget).toMatchObject({ reserved: { microUsd: 0 }, lost: { microUsd: 0 } });
  expect(usage.microUsd).toBe(budget?.spent.microUsd);
  for (const part of ['cachedTokens', 'cacheWriteTokens', 'cacheWriteLongTokens', 'toolRequests'] as const)
    expect(usage[part], part).toBeGreaterThan(0);
  expect(new Set(provider.bill.lines.map(({ model }) => model))).toContain('gemini-3.5-flash-lite');
  expect(description.warnings.latest.map(({ message }) => message).filter((text) => !/list price/.test(text))).toEqual(
    [],
  );
});

it('ends at its limit', async () => {
  const ways = billedWays.filter((way) => way !== 'Searching' && way !== 'LongPrompt');
  const { description } = await stage.run(billedWorkflow(provider, '{usd: 0.05}', ways), lines(6));

  expect(description).toMatchObject({ status: 'terminated', stop: { code: 'budget' } });
  const spent = description.budget?.spent.microUsd ?? 0;
  expect(spent).toBe(billedMicroUsd(provider));
  expect(spent).toBeLessThanOrEqual(50_000);
  expect(spent).toBeGreaterThan(30_000);
});

it('counts a reply in full that costs more than was reserved for it, and warns', async () => {
  provider.say('m', { text: 'More than was asked for.', usage: { input: 100, output: 50_000 } });
  const agent = `{provider: openai, name: m, base_url: '${provider.at('compatible')}', api_key: k, params: {max_tokens: 10}}`;
  const { description } = await stage.run(
    `graph:
  id: g
  budget: {usd: 1}
  prices: {m: {input: 1, output: 10}}
  nodes: [{id: A, type: agent, config: ${agent}}]
  edges: []
`,
    'hi',
  );

  expect(description).toMatchObject({
    status: 'completed',
    budget: { spent: { microUsd: 500_100 } },
    warnings: { count: 1, latest: [{ node: 'A', code: 'W_COST_ABOVE_BOUND' }] },
  });
});

it('warns of a list price on another host once for each model, however many activations ask it', async () => {
  const agent = (id: string, model: string) =>
    `{id: ${id}, type: agent, config: {provider: anthropic, name: ${model}, base_url: '${provider.at('anthropic')}', api_key: k, params: {max_tokens: 300}}}`;
  const { description, journal } = await stage.run(
    `graph:
  id: g
  budget: {usd: 1}
  nodes:
    - ${agent('A', 'claude-haiku-5-5')}
    - ${agent('B', 'claude-haiku-5-5')}
    - ${agent('C', 'claude-sonnet-5-5')}
  edges: [{from: A, to: B}, {from: B, to: C}]
`,
    'hi',
  );

  expect(description).toMatchObject({
    status: 'completed',
    warnings: {
      count: 2,
      latest: [
        { node: 'A', code: 'W_PRICE_ASSUMED' },
        { node: 'C', code: 'W_PRICE_ASSUMED' },
      ],
    },
  });
  const warned = journal.filter(({ event }) => event.type === 'activation.completed' && event.warnings !== undefined);
  expect(warned).toHaveLength(2);
});

it('says which part of the spending is not known: calls whose connection broke are charged in full', async () => {
  provider.say('gemini-2.5-flash', { hangUp: 'before' }, { hangUp: 'middle' });
  const retry = '{min_wait_seconds: 0, max_wait_seconds: 0}';
  const agent = `{provider: gemini, name: gemini-2.5-flash, base_url: '${provider.at('gemini')}', api_key: k, params: {max_tokens: 300}, retry: ${retry}}`;
  const { description, journal } = await stage.run(
    `graph:
  id: g
  budget: {usd: 1}
  nodes: [{id: A, type: agent, config: ${agent}}]
`,
    'hi',
  );

  const reserved = journal.flatMap(({ event }) => (event.type === 'step.reserved' ? [event.amount.microUsd] : []));
  const { budget, usage } = description;
  expect(reserved).toHaveLength(3);
  expect(description).toMatchObject({ status: 'completed', usage: { calls: 1 } });
  expect(budget?.lost.microUsd).toBe((reserved[0] ?? 0) + (reserved[1] ?? 0));
  expect(budget?.spent.microUsd).toBe((usage.microUsd ?? 0) + (budget?.lost.microUsd ?? 0));
  // The reply that broke off in its middle was billed, too.
  expect(billedMicroUsd(provider)).toBeGreaterThan(usage.microUsd ?? 0);
  expect(billedMicroUsd(provider)).toBeLessThanOrEqual(budget?.spent.microUsd ?? 0);
});
