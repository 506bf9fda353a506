import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { describe, expect } from 'vitest';
import { resultWithoutFaults } from '../support/runs/scenario.ts';
import { chain, map } from '../support/runs/scenarios.ts';
import { withFleet as it } from '../support/runs/with-fleet.ts';

const vocabulary = createVocabulary();
const clean = { violations: [], leftovers: [] };

const startsStepOf = (activation: string) => (entry: JournalEntry) =>
  entry.event.type === 'step.started' && entry.event.activation === activation;
const completes = (activation: string) => (entry: JournalEntry) =>
  entry.event.type === 'activation.completed' && entry.event.activation === activation;
const stepsBegun = (journal: readonly JournalEntry[]) =>
  journal.flatMap(({ event }) => (event.type === 'step.started' ? [event.activation] : []));
const stepsCompleted = (journal: readonly JournalEntry[]) =>
  journal.flatMap(({ event }) => (event.type === 'step.completed' ? [event.activation] : []));
const workersIn = (journal: readonly JournalEntry[]) =>
  new Set(journal.flatMap(({ event }) => (event.type === 'activation.started' ? [event.worker] : [])));

it('continues after a worker was killed in the middle of a model call', async ({ fleet }) => {
  const first = await fleet.startWorker();
  const run = await fleet.start(chain, 800);
  await fleet.until(run, startsStepOf('a2'));
  await first.kill();
  const killedAt = Date.now();

  const second = await fleet.startWorker();
  const startedAt = Date.now();
  const { at } = await fleet.until(
    run,
    ({ event }) => event.type === 'activation.started' && event.worker === second.name,
  );

  expect(await fleet.finish(run, chain)).toEqual(await resultWithoutFaults(chain, vocabulary));
  expect(at - Math.max(killedAt, startedAt)).toBeLessThan(10_000);
  expect(await fleet.inspect([run])).toEqual(clean);
  const journal = await fleet.journal(run);
  // The call that was lost with the worker is made again, but counted once: the script's replies are not used up.
  expect(stepsBegun(journal)).toEqual(['a1', 'a2', 'a3']);
  expect(stepsCompleted(journal)).toEqual(['a1', 'a2', 'a3']);
});

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a run', () => {
  it('ignores a frozen worker that wakes up after another one has taken over', async ({ fleet }) => {
    const first = await fleet.startWorker();
    const run = await fleet.start(chain, 1200);
    await fleet.until(run, startsStepOf('a1'));
    first.freeze();

    await fleet.startWorker();
    await fleet.until(run, completes('a1'));
    first.thaw();
    await first.says(/an attempt was abandoned/);

    expect(await fleet.finish(run, chain)).toEqual(await resultWithoutFaults(chain, vocabulary));
    expect(await fleet.inspect([run])).toEqual(clean);
    expect(stepsCompleted(await fleet.journal(run))).toEqual(['a1', 'a2', 'a3']);
  });

  it.for([2, 3])('shares runs among %i workers, and commits nothing twice', async (count, { fleet }) => {
    const workers = await Promise.all(Array.from({ length: count }, () => fleet.startWorker()));
    const runs = await Promise.all(Array.from({ length: 8 }, () => fleet.start(map, 120)));

    const results = await Promise.all(runs.map((run) => fleet.finish(run, map)));

    const expected = await resultWithoutFaults(map, vocabulary);
    expect(results).toEqual(results.map(() => expected));
    const journals = await Promise.all(runs.map((run) => fleet.journal(run)));
    expect(workersIn(journals.flat())).toEqual(new Set(workers.map(({ name }) => name)));
    expect(await fleet.inspect(runs)).toEqual(clean);
  });
});
