import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { expect, it } from 'vitest';
import { openBeforeEach } from '../support/fixtures.ts';
import { startFakeProvider } from '../support/provider/provider.ts';
import { audit } from '../support/runs/audit.ts';
import { openFleet } from '../support/runs/fleet.ts';
import type { Scenario } from '../support/runs/scenario.ts';
import { resultWithoutFaults } from '../support/runs/scenario.ts';
import { chain } from '../support/runs/scenarios.ts';

const vocabulary = createVocabulary();
const clean = { violations: [], leftovers: [] };

const fleet = openBeforeEach(openFleet);

const startsStepOf = (activation: string) => (entry: JournalEntry) =>
  entry.event.type === 'step.started' && entry.event.activation === activation;
const ends = (segment: number) => {
  let seen = 0;
  return ({ event }: JournalEntry) => event.type === 'run.finished' && ++seen === segment;
};
const terminated = { status: 'terminated', stop: { code: 'external', text: 'enough' } };

/** A model API that takes every request and answers none. */
async function startSilentServer() {
  const provider = await startFakeProvider({ reply: () => ({ silence: true }) });
  return {
    scenario: {
      name: 'silence',
      input: 'task',
      answers: [],
      yaml: () => `graph:
  id: silence
  nodes:
    - {id: A, type: agent, config: {provider: openai, name: m, base_url: "${provider.at('ok')}", api_key: k}}
`,
    } satisfies Scenario,
    async asked() {
      const before = provider.requests.length;
      await provider.asked(before + 1);
      return { hungUp: provider.hungUp(before + 1) };
    },
    close: () => provider.close(),
  };
}

it.each(['cancel', 'stop'] as const)('aborts a model call within a second of a %s', async (order) => {
  const server = await startSilentServer();
  await fleet.startWorker();
  const asked = server.asked();
  const run = await fleet.start(server.scenario, 0);
  const { hungUp } = await asked;

  if (order === 'cancel') await fleet.runtime.runs.cancel(run, 'enough');
  else await fleet.runtime.runs.stop(run, { note: 'enough', inFlight: 'cancel' });
  const orderedAt = Date.now();
  await hungUp;

  expect(Date.now() - orderedAt).toBeLessThan(1000);
  // What was cut short is kept: for the resumed run, or for people to look at.
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
  await server.close();
});

it('has the same result when it is stopped and resumed across the death of every worker', async () => {
  const { runs } = fleet.runtime;
  const first = await fleet.startWorker();
  const run = await fleet.start(chain, 800);
  await fleet.until(run, startsStepOf('a1'));
  await runs.stop(run, { note: 'enough', inFlight: 'drain' });
  await first.kill();
  expect(await runs.describe(run)).toMatchObject({ status: 'stopping' });

  const second = await fleet.startWorker();
  await fleet.until(run, ends(1));
  expect(await runs.describe(run)).toMatchObject(terminated);
  await runs.resume(run);
  await fleet.until(run, startsStepOf('a2'));
  await second.kill();
  await runs.stop(run, { note: 'enough', inFlight: 'cancel' });
  await runs.resume(run);
  await fleet.startWorker();

  expect(await fleet.finish(run, chain)).toEqual(await resultWithoutFaults(chain, vocabulary));
  expect(await fleet.inspect([run])).toEqual(clean);
});
