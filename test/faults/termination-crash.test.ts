import { setTimeout as sleep } from 'node:timers/promises';
import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { describe, expect } from 'vitest';
import { audit } from '../support/runs/audit.ts';
import { inWorkshop as it } from '../support/runs/in-workshop.ts';
import type { Scenario } from '../support/runs/scenario.ts';
import { stopped } from '../support/runs/scenarios.ts';
import type { Workshop } from '../support/runs/workshop.ts';

const vocabulary = createVocabulary();

const completes = (times: number) => {
  let seen = 0;
  return ({ event }: JournalEntry) => event.type === 'activation.completed' && ++seen === times;
};
const ends = ({ event }: JournalEntry) => event.type === 'run.finished';
const stopOf = async (workshop: Workshop, run: string) => (await workshop.runtime.runs.describe(run))?.stop?.text;

/** Counts of a run that has ended: completed activations, stops, ends. */
async function countsOf(workshop: Workshop, run: string) {
  const journal = await workshop.journal(run);
  const times = (type: JournalEntry['event']['type']) => journal.filter(({ event }) => event.type === type).length;
  expect(await audit(workshop.runtime.store, run, vocabulary)).toEqual([]);
  return { spoken: times('activation.completed'), stops: times('run.stopping'), ends: times('run.finished') };
}

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a run with a termination', () => {
  it('continues its count after every worker and Redis have died', async ({ workshop }) => {
    const { redis } = workshop;
    const workers = [await workshop.hire(), await workshop.hire()];
    const run = await workshop.start(stopped, 100);
    await workshop.until(run, completes(5));

    await Promise.all(workers.map((worker) => worker.kill()));
    await redis.kill();
    await redis.restart();
    await workshop.hire();
    await workshop.until(run, ends);

    expect(await stopOf(workshop, run)).toBe('max_messages: 10 of 10');
    expect(await countsOf(workshop, run)).toEqual({ spoken: 9, stops: 1, ends: 1 });
  });

  it('counts nothing twice when a worker dies between a commit and its wakes', async ({ workshop }) => {
    const run = await workshop.start(stopped, 50);
    const worker = await workshop.hire();
    await workshop.until(run, completes(5));
    await worker.kill();
    await workshop.wipeQueue();

    await workshop.hire();
    await workshop.until(run, ends);

    expect(await stopOf(workshop, run)).toBe('max_messages: 10 of 10');
    expect(await countsOf(workshop, run)).toEqual({ spoken: 9, stops: 1, ends: 1 });
  });

  it('notices a timeout that passed without a live worker', async ({ workshop }) => {
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
    const worker = await workshop.hire();
    const run = await workshop.start(asking, 0);
    await workshop.until(run, ({ event }) => event.type === 'activation.suspended');
    await worker.kill();
    // It is about time, and so time has to go by.
    await sleep(2500);
    expect(await workshop.runtime.runs.describe(run)).toMatchObject({ status: 'waiting' });

    await workshop.hire();
    await workshop.until(run, ends);

    expect(await stopOf(workshop, run)).toBe('timeout: 2s');
    expect(await countsOf(workshop, run)).toEqual({ spoken: 0, stops: 1, ends: 1 });
  });

  it('executes the exit node of a stopped run once, although its worker dies in the middle of it', async ({
    workshop,
  }) => {
    const lasting: Scenario = {
      name: 'lasting',
      input: 'task',
      answers: [],
      yaml: (delayMs) => stopped.yaml(delayMs).replace('text: over}}]}', 'text: over}}], exit_to: [A]}'),
    };
    const first = await workshop.hire();
    const run = await workshop.start(lasting, 100);
    const last = await workshop.until(run, ({ event }) => event.type === 'activation.ready' && event.part === 'exit');
    const activation = last.event.type === 'activation.ready' ? last.event.activation : 'a0';
    await workshop.until(run, ({ event }) => event.type === 'step.started' && event.activation === activation);
    await first.kill();
    await workshop.wipeQueue();
    expect(await workshop.runtime.runs.describe(run)).toMatchObject({ status: 'stopping' });

    await workshop.hire();
    await workshop.until(run, ends);

    expect(await stopOf(workshop, run)).toBe('max_messages: 10 of 10');
    expect(await countsOf(workshop, run)).toEqual({ spoken: 10, stops: 1, ends: 1 });
  });
});
