import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { describe, expect } from 'vitest';
import { audit } from '../support/runs/audit.ts';
import type { Fleet } from '../support/runs/fleet.ts';
import type { Scenario } from '../support/runs/scenario.ts';
import { stopped } from '../support/runs/scenarios.ts';
import { withFleet as it } from '../support/runs/with-fleet.ts';

const vocabulary = createVocabulary();

const completes = (times: number) => {
  let seen = 0;
  return ({ event }: JournalEntry) => event.type === 'activation.completed' && ++seen === times;
};
const ends = ({ event }: JournalEntry) => event.type === 'run.finished';
const stopOf = async (fleet: Fleet, run: string) => (await fleet.runtime.runs.describe(run))?.stop?.text;

/** Counts of a run that has ended: completed activations, stops, ends. */
async function countsOf(fleet: Fleet, run: string) {
  const journal = await fleet.journal(run);
  const times = (type: JournalEntry['event']['type']) => journal.filter(({ event }) => event.type === type).length;
  expect(await audit(fleet.runtime.store, run, vocabulary)).toEqual([]);
  return { spoken: times('activation.completed'), stops: times('run.stopping'), ends: times('run.finished') };
}

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a run with a termination', () => {
  it('continues its count after every worker and Redis have died', async ({ fleet }) => {
    const { redis } = fleet;
    const workers = [await fleet.startWorker(), await fleet.startWorker()];
    const run = await fleet.start(stopped, 100);
    await fleet.until(run, completes(5));

    await Promise.all(workers.map((worker) => worker.kill()));
    await redis.kill();
    await redis.restart();
    await fleet.startWorker();
    await fleet.until(run, ends);

    expect(await stopOf(fleet, run)).toBe('max_messages: 10 of 10');
    expect(await countsOf(fleet, run)).toEqual({ spoken: 9, stops: 1, ends: 1 });
  });

  it('counts nothing twice when a worker dies between a commit and its wakes', async ({ fleet }) => {
    const run = await fleet.start(stopped, 50);
    const worker = await fleet.startWorker();
    await fleet.until(run, completes(5));
    await worker.kill();
    await fleet.wipeQueue();

    await fleet.startWorker();
    await fleet.until(run, ends);

    expect(await stopOf(fleet, run)).toBe('max_messages: 10 of 10');
    expect(await countsOf(fleet, run)).toEqual({ spoken: 9, stops: 1, ends: 1 });
  });

  it('notices a timeout that passed without a live worker', async ({ fleet }) => {
    const asking: Scenario = {
      name: 'asking',
      input: 'task',
      answers: [],
      yaml: () => `graph:
  id: asking
  termination: { type: timeout, config: { seconds: 2 } }
  nodes: [{ id: H, type: human, config: {} }]
`,
    };
    const worker = await fleet.startWorker();
    const run = await fleet.start(asking, 0);
    await fleet.until(run, ({ event }) => event.type === 'activation.suspended');
    await worker.kill();
    // It is about time, and so time has to go by.
    await sleep(2500);
    expect(await fleet.runtime.runs.describe(run)).toMatchObject({ status: 'waiting' });

    await fleet.startWorker();
    await fleet.until(run, ends);

    expect(await stopOf(fleet, run)).toBe('timeout: 2s');
    expect(await countsOf(fleet, run)).toEqual({ spoken: 0, stops: 1, ends: 1 });
  });

  it('executes the exit node of a stopped run once, although its worker dies in the middle of it', async ({
    fleet,
  }) => {
    const lasting: Scenario = {
      name: 'lasting',
      input: 'task',
      answers: [],
      yaml: (delayMs) => stopped.yaml(delayMs).replace('text: over}}]}', 'text: over}}], exit_to: [A]}'),
    };
    const first = await fleet.startWorker();
    const run = await fleet.start(lasting, 100);
    const last = await fleet.until(run, ({ event }) => event.type === 'activation.ready' && event.part === 'exit');
    const activation = last.event.type === 'activation.ready' ? last.event.activation : 'a0';
    await fleet.until(run, ({ event }) => event.type === 'step.started' && event.activation === activation);
    await first.kill();
    await fleet.wipeQueue();
    expect(await fleet.runtime.runs.describe(run)).toMatchObject({ status: 'stopping' });

    await fleet.startWorker();
    await fleet.until(run, ends);

    expect(await stopOf(fleet, run)).toBe('max_messages: 10 of 10');
    expect(await countsOf(fleet, run)).toEqual({ spoken: 10, stops: 1, ends: 1 });
  });
});
