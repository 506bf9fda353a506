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
