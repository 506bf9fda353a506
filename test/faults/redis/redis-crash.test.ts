import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { describe, expect } from 'vitest';
import { inWorkshop as it } from '../../support/runs/in-workshop.ts';
import { undisturbed } from '../../support/runs/scenario.ts';
import { chain, cycle, human, map } from '../../support/runs/scenarios.ts';

const vocabulary = createVocabulary();
const clean = { violations: [], leftovers: [] };

const isType = (type: JournalEntry['event']['type']) => (entry: JournalEntry) => entry.event.type === type;

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a run', () => {
  it('finishes a run over several crashes of Redis', async ({ workshop }) => {
    await workshop.hire();
    const run = await workshop.start(cycle, 400);
    const finished = workshop.finish(run, cycle);
    for (const count of [2, 3, 5]) {
      let begun = 0;
      await workshop.until(run, ({ event }) => event.type === 'step.started' && ++begun === count);
      await workshop.redis.kill();
      await workshop.redis.restart();
    }

    expect(await finished).toEqual(await undisturbed(cycle, vocabulary));
    expect(await workshop.inspect([run])).toEqual(clean);
  });

  it('continues when all jobs have been deleted', async ({ workshop }) => {
    const waiting = await workshop.start(chain, 50);
    await workshop.wipeQueue();
    await workshop.hire();
    const interrupted = await workshop.start(map, 300);
    await workshop.until(interrupted, isType('step.started'));
    await workshop.wipeQueue();
    const wipedAt = Date.now();

    expect(await workshop.finish(waiting, chain)).toEqual(await undisturbed(chain, vocabulary));
    expect(await workshop.finish(interrupted, map)).toEqual(await undisturbed(map, vocabulary));
    const [, end] = await Promise.all([waiting, interrupted].map((run) => workshop.until(run, isType('run.finished'))));
    expect((end?.at ?? Infinity) - wipedAt).toBeLessThan(15_000);
    expect(await workshop.inspect([waiting, interrupted])).toEqual(clean);
  });

  it('keeps a question to a person through the restart of everything', async ({ workshop }) => {
    const first = await workshop.hire();
    const run = await workshop.start(human, 50);
    await workshop.until(run, isType('activation.suspended'));
    await first.kill();
    await workshop.redis.kill();
    await workshop.redis.restart();

    const described = await workshop.runtime.runs.describe(run);
    expect(described?.status).toBe('waiting');
    expect(described?.tasks).toHaveLength(1);
    await workshop.hire();
    expect(await workshop.finish(run, human)).toEqual(await undisturbed(human, vocabulary));
    expect(await workshop.inspect([run])).toEqual(clean);
  });
});
