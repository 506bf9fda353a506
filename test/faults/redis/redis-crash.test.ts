import { createVocabulary } from '@millrace/catalog';
import type { JournalEntry } from '@millrace/core';
import { describe, expect } from 'vitest';
import { tellRedis } from '../../support/redis/tell-redis.ts';
import { resultWithoutFaults } from '../../support/runs/scenario.ts';
import { chain, cycle, human, map } from '../../support/runs/scenarios.ts';
import { withFleet as it } from '../../support/runs/with-fleet.ts';
import { waitFor } from '../../support/waiting.ts';

const vocabulary = createVocabulary();
const clean = { violations: [], leftovers: [] };

const isType = (type: JournalEntry['event']['type']) => (entry: JournalEntry) => entry.event.type === type;

// Each test has a Redis and workers of its own, and mostly waits for locks.
describe.concurrent('a run', () => {
  it('finishes a run over several crashes of Redis', async ({ fleet }) => {
    await fleet.startWorker();
    const run = await fleet.start(cycle, 400);
    const finished = fleet.finish(run, cycle);
    for (const count of [2, 3, 5]) {
      let begun = 0;
      await fleet.until(run, ({ event }) => event.type === 'step.started' && ++begun === count);
      await fleet.redis.kill();
      await fleet.redis.restart();
    }

    expect(await finished).toEqual(await resultWithoutFaults(cycle, vocabulary));
    expect(await fleet.inspect([run])).toEqual(clean);
  });

  it('continues when all jobs have been deleted', async ({ fleet }) => {
    const waiting = await fleet.start(chain, 50);
    await fleet.wipeQueue();
    await fleet.startWorker();
    const interrupted = await fleet.start(map, 300);
    await fleet.until(interrupted, isType('step.started'));
    await fleet.wipeQueue();
    const wipedAt = Date.now();

    expect(await fleet.finish(waiting, chain)).toEqual(await resultWithoutFaults(chain, vocabulary));
    expect(await fleet.finish(interrupted, map)).toEqual(await resultWithoutFaults(map, vocabulary));
    const [, end] = await Promise.all([waiting, interrupted].map((run) => fleet.until(run, isType('run.finished'))));
    expect((end?.at ?? Infinity) - wipedAt).toBeLessThan(15_000);
    expect(await fleet.inspect([waiting, interrupted])).toEqual(clean);
  });

  it('keeps a question to a person through the restart of everything', async ({ fleet }) => {
    const first = await fleet.startWorker();
    const run = await fleet.start(human, 50);
    await fleet.until(run, isType('activation.suspended'));
    // With `everysec`, Redis answers before it writes to its file while it syncs that: what it has not written is lost with it.
    await waitFor(async () => {
      expect(await tellRedis(fleet.redis.url, 'INFO', 'persistence')).toMatch(/aof_buffer_length:0\b/);
    });
    await first.kill();
    await fleet.redis.kill();
    await fleet.redis.restart();

    const described = await fleet.runtime.runs.describe(run);
    expect(described?.status).toBe('waiting');
    expect(described?.tasks).toHaveLength(1);
    await fleet.startWorker();
    expect(await fleet.finish(run, human)).toEqual(await resultWithoutFaults(human, vocabulary));
    expect(await fleet.inspect([run])).toEqual(clean);
  });
});
