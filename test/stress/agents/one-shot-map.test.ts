import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { billedMicroUsd, lines } from '../../support/runs/billed-workflow.ts';
import { mappedAgent, openCachingStage, startCachingProvider } from '../../support/runs/cached-agents.ts';

const provider = openBeforeEach(startCachingProvider);
const stage = openBeforeEach(() => openCachingStage(provider));

it.each([
  { provider: 'anthropic', name: 'claude-sonnet-5-5' },
  { provider: 'openai', name: 'gpt-6-sol' },
] as const)('1,000 units that are asked once pay no writes: $name', async (model) => {
  const { description } = await stage.run(mappedAgent(model, 2000), lines(1000));

  expect(description).toMatchObject({ status: 'completed', usage: { calls: 1000 } });
  expect(provider.bill.lines.reduce((sum, { usage }) => sum + usage.write, 0)).toBe(0);
  expect(description.budget?.spent.microUsd).toBe(billedMicroUsd(provider));
});
