import { createVocabulary } from '@millrace/catalog';
import type { RunDescription } from '@millrace/runtime';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { startFakeProvider } from '../../support/provider/provider.ts';
import { audit } from '../../support/runs/audit.ts';
import { billedMicroUsd, billedWays, billedWorkflow, billing, lines } from '../../support/runs/billed-workflow.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import { workflowIn } from '../../support/runs/stage.ts';

const vocabulary = createVocabulary();
const fleet = openBeforeEach(openFleet);
const provider = openBeforeEach(() => startFakeProvider(billing));

/** The prompts of this one are long: a few of them are enough. */
const shortWays = billedWays.filter((way) => way !== 'LongPrompt');

const startWorkers = (count: number) => Promise.all(Array.from({ length: count }, () => fleet.startWorker()));

const start = (budget: string, ways: typeof billedWays, units: number) => {
  const workflow = workflowIn(billedWorkflow(provider, budget, ways), vocabulary);
  return fleet.runtime.runs.start({ workflow, input: lines(units) });
};

async function ended(run: Awaited<ReturnType<typeof start>>): Promise<RunDescription> {
  await fleet.until(run, ({ event }) => event.type === 'run.finished');
  const description = await fleet.runtime.runs.describe(run);
  if (description === undefined) throw new Error(`there is no run ${run}`);
  if (description.error !== undefined) throw new Error(JSON.stringify(description.error));
  return description;
}

it('spends exactly what the provider bills for more than 1,000 units at once on four workers', async () => {
  await startWorkers(4);
  const [run, long] = await Promise.all([start('{usd: 100}', shortWays, 125), start('{usd: 5}', ['LongPrompt'], 20)]);

  const [first, second] = [await ended(run), await ended(long)];

  expect([first.status, second.status]).toEqual(['completed', 'completed']);
  expect(first.usage.calls).toBe(125 * shortWays.length);
  const both = (part: 'spent' | 'lost') => (first.budget?.[part].microUsd ?? 0) + (second.budget?.[part].microUsd ?? 0);
  const [spent, lost] = [both('spent'), both('lost')];
  // Equal, unless a connection broke on this machine: such a call is charged in full, and may have been billed or not.
  expect(spent).toBeGreaterThanOrEqual(billedMicroUsd(provider));
  expect(spent - lost).toBeLessThanOrEqual(billedMicroUsd(provider));
  expect((first.usage.microUsd ?? 0) + (second.usage.microUsd ?? 0)).toBe(spent - lost);
  // The worst case of a call or two.
  expect(lost).toBeLessThan(30_000);
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
}, 120_000);

it('ends at one dollar with more than 2,000 units at once on four workers', async () => {
  await startWorkers(4);
  const run = await start(
    '{usd: 1}',
    shortWays.filter((way) => way !== 'Searching'),
    300,
  );

  const { status, stop, budget } = await ended(run);

  const [spent, lost] = [budget?.spent.microUsd ?? 0, budget?.lost.microUsd ?? 0];
  expect({ status, code: stop?.code }).toEqual({ status: 'terminated', code: 'budget' });
  // Equal, unless a connection broke on this machine.
  expect(spent).toBeGreaterThanOrEqual(billedMicroUsd(provider));
  expect(spent - lost).toBeLessThanOrEqual(billedMicroUsd(provider));
  expect(spent).toBeLessThanOrEqual(1_000_000);
  // Less is left than the worst case of one call.
  expect(spent).toBeGreaterThan(950_000);
}, 120_000);

it('covers the bill within its limit, however often workers are killed', async () => {
  let workers = await startWorkers(4);
  // Enough for the calls until the last kill, also if those of the dearest ways come first.
  const run = await start(
    '{usd: 4}',
    shortWays.filter((way) => way !== 'Searching'),
    300,
  );
  for (const asked of [60, 150, 240]) {
    await provider.asked(asked);
    await Promise.all(workers.map((worker) => worker.kill()));
    workers = await startWorkers(4);
  }

  const { usage, budget } = await ended(run);

  const [spent, lost] = [budget?.spent.microUsd ?? 0, budget?.lost.microUsd ?? 0];
  const bill = billedMicroUsd(provider);
  expect(lost).toBeGreaterThan(0);
  expect(spent).toBeLessThanOrEqual(4_000_000);
  expect(bill).toBeLessThanOrEqual(spent);
  // What was not lost is charged as it was billed.
  expect(usage.microUsd).toBe(spent - lost);
  expect(usage.microUsd).toBeLessThanOrEqual(bill);
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
}, 180_000);
