import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { billedMicroUsd, lines } from '../../support/runs/billed-workflow.ts';
import {
  cachedRounds,
  lookingAgent,
  mappedAgent,
  openCachingStage,
  promptCosts,
  startCachingProvider,
} from '../../support/runs/cached-agents.ts';

const provider = openBeforeEach(startCachingProvider);
const stage = openBeforeEach(() => openCachingStage(provider));

const claude = { provider: 'anthropic', name: 'claude-sonnet-5-5' } as const;
const gpt = { provider: 'openai', name: 'gpt-6-sol' } as const;

it.each([claude, gpt])('pays a quarter of the prompts of a loop with tools: $name', async (model) => {
  const { description } = await stage.run(lookingAgent(model), 'Read all pages.');

  expect(description).toMatchObject({ status: 'completed', usage: { calls: cachedRounds + 1 } });
  const { paid, uncached } = promptCosts(provider);
  expect(paid / uncached).toBeLessThanOrEqual(0.25);
  expect(description.budget?.spent.microUsd).toBe(billedMicroUsd(provider));
  // Each call is rounded up to whole micro-dollars.
  const saved = (uncached - paid) / 1e6;
  expect(Math.abs((description.usage.savedMicroUsd ?? 0) - saved)).toBeLessThanOrEqual(2 * (cachedRounds + 1));
  expect(provider.refusals).toEqual([]);
});

it('reads what it has kept although a round has many calls', async () => {
  const call = { name: 'look', arguments: { page: 1 } };
  provider.say('claude-sonnet-5-5', { calls: Array(15).fill(call) }, 'Done.');
  await stage.run(lookingAgent(claude, `, role: '${'Judge it. '.repeat(300)}'`), 'Read all pages.');

  const [first, second] = provider.bill.lines.map(({ usage }) => usage);
  expect(second?.read).toBe(first?.write);
});

it('pays for whole prompts without a cache', async () => {
  await stage.run(lookingAgent(claude, ', cache: off'), 'Read all pages.');

  const { paid, uncached } = promptCosts(provider);
  expect(paid).toBe(uncached);
});

it.each([claude, gpt])('pays no writes for prompts that are asked once: $name', async (model) => {
  const { description } = await stage.run(mappedAgent(model, 2000), lines(10));

  expect(description).toMatchObject({ status: 'completed', usage: { calls: 10 } });
  expect(provider.bill.lines.map(({ usage }) => usage.write)).toEqual(Array(10).fill(0));
  expect(description.budget?.spent.microUsd).toBe(billedMicroUsd(provider));
});

it.each([claude, gpt])('keeps the long system prompt of many units once: $name', async (model) => {
  const { description } = await stage.run(mappedAgent(model, 8000, 1), lines(5));

  const usages = provider.bill.lines.map(({ usage }) => usage);
  expect(usages[0]?.write).toBeGreaterThan(8000);
  expect(usages.slice(1).map(({ read, write }) => [read, write])).toEqual(Array(4).fill([usages[0]?.write, 0]));
  expect(description.budget?.spent.microUsd).toBe(billedMicroUsd(provider));
});

it('keeps prompts for an hour where the author says so, and reserves for it', async () => {
  const { description } = await stage.run(lookingAgent(claude, ', cache: {ttl: 1h}'), 'Read all pages.');

  const written = provider.bill.lines.reduce((sum, { usage }) => sum + usage.writeLong, 0);
  expect(written).toBe(description.usage.cacheWriteLongTokens);
  expect(written).toBe(description.usage.cacheWriteTokens);
  expect(description.budget?.spent.microUsd).toBe(billedMicroUsd(provider));
  expect(description.warnings.count).toBe(0);
});

it('keeps what the author of the params asks for, and nothing else', async () => {
  await stage.run(lookingAgent(claude, ', params: {cache_control: {type: ephemeral, ttl: 1h}}'), 'Read all pages.');

  const usages = provider.bill.lines.map(({ usage }) => usage);
  expect(usages.map(({ write, writeLong }) => write - writeLong)).toEqual(usages.map(() => 0));
});
