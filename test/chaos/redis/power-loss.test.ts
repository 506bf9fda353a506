import { createVocabulary } from '@millrace/catalog';
import { expect, it } from 'vitest';
import { losePower, written } from '../../support/faults/power.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { openFleet } from '../../support/runs/fleet.ts';
import type { Scenario } from '../../support/runs/scenario.ts';
import { driveRunByPolling, resultWithoutFaults } from '../../support/runs/scenario.ts';
import { scenarios } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();

const fleet = openBeforeEach(openFleet);

it.each([0, 0.6])('continues after a power loss that takes the last second, up to %f of it', async (kept) => {
  await Promise.all([fleet.startWorker(), fleet.startWorker()]);
  const early = await Promise.all(scenarios.map((scenario) => fleet.start(scenario, 150)));
  await fleet.until(early[0] ?? '', ({ event }) => event.type === 'step.completed');
  const before = await written(fleet.redis);
  const late = await Promise.all(scenarios.map((scenario) => fleet.start(scenario, 150)));
  await fleet.until(late[0] ?? '', ({ event }) => event.type === 'activation.completed');
  const after = await written(fleet.redis);

  await losePower(fleet.redis, before + Math.floor((after - before) * kept));

  const expected = await Promise.all(scenarios.map((scenario) => resultWithoutFaults(scenario, vocabulary)));
  const ended = (runs: readonly string[]) =>
    Promise.all(runs.map((run, at) => driveRunByPolling(fleet.runtime.runs, run, scenarios[at] as Scenario))); // one run for each
  expect(await ended(early)).toEqual(expected);
  const lateEnded = await ended(late);
  const there = late.filter((_, at) => lateEnded[at] !== undefined);
  // A run that was started in the last second may be gone, but not half of it.
  expect(lateEnded.filter((result) => result !== undefined)).toEqual(
    expected.filter((_, at) => lateEnded[at] !== undefined),
  );
  expect(there.length > 0).toBe(kept > 0);
  expect(await fleet.inspect([...early, ...there])).toEqual({ violations: [], leftovers: [] });
});
