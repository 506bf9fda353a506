import type { JournalEntry } from '@millrace/core';
import { textMessage } from '@millrace/core';
import type { Caretaker } from '@millrace/runtime';
import { startCaretaker } from '@millrace/runtime';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HeldModels } from '../../support/fakes/held-models.ts';
import { startHeldModels } from '../../support/fakes/held-models.ts';
import type { ManualClock } from '../../support/fakes/manual-clock.ts';
import { createManualClock } from '../../support/fakes/manual-clock.ts';
import { openBeforeEach } from '../../support/fixtures.ts';
import { audit } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { entriesOf } from '../../support/runs/watching.ts';
import { waitUntil } from '../../support/waiting.ts';

const minute = 60_000;
const hour = 60 * minute;
const month = 30 * 24 * hour;

let clock: ManualClock;

const stage = openBeforeEach(() => {
  clock = createManualClock(Date.now());
  return openStage({ where: { local: true, clock } });
});
const models = openBeforeEach(startHeldModels);
let caretaker: Caretaker;
beforeEach(async () => {
  const { store, queue, runs } = stage.runtime;
  caretaker = startCaretaker({ store, queue, runs, everyMs: 5, report: (message) => expect.fail(message) });
});
afterEach(async () => {
  await caretaker.close();
});

/** A person is asked, and nothing else happens. */
const asking = (termination: string) => `graph:
  id: asking
  termination: ${termination}
  nodes: [{ id: H, type: human, config: {} }]
`;
const aMinute = '{ type: timeout, config: { seconds: 60 } }';
const withPauses = '{ type: timeout, config: { seconds: 60, count_paused: true } }';

const start = async (text: string, reaches: JournalEntry['event']['type']) => {
  const run = await stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input: 'x' });
  await until(run, reaches);
  return run;
};
const until = async (run: string, type: JournalEntry['event']['type'], since = '0') => {
  for await (const { event } of entriesOf(stage.runtime.runs, run, since)) if (event.type === type) return;
};
/** Expects that the audit of the run finds no defect. */
const expectSound = async (run: string) => expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
const statusOf = async (run: string) => (await stage.runtime.runs.describe(run))?.status;
const reasonOf = async (run: string) => (await stage.runtime.runs.describe(run))?.stop?.text;
/** Returns true if no alarm is overdue. */
const nothingIsDue = async () => {
  const overdue = await stage.runtime.store.overdue(clock.now(), clock.now(), 10);
  return overdue.every((due) => 'activation' in due);
};

/** A person is asked twice. */
const twice = (termination: string) => `graph:
  id: twice
  termination: ${termination}
  nodes: [{ id: H, type: human, config: {} }, { id: I, type: human, config: {} }]
  edges: [{ from: H, to: I }]
`;
/** Answers the first question of a run, and waits for the second one. */
const answerFirst = async (run: string) => {
  const { runs } = stage.runtime;
  await runs.answer(run, { activation: 'a1' }, { message: textMessage('user', 'Go on.', 'H') });
  await waitUntil(async () => (await runs.tasks(run)).some(({ activation }) => activation === 'a2'));
};
/** Forks a run at its second question, and waits until the fork asks it. */
const forkAtSecond = async (run: string) => {
  const fork = await stage.runtime.runs.fork(run, { at: 'a2' });
  await waitUntil(async () => (await statusOf(fork)) === 'waiting');
  return fork;
};
const stopped = (run: string) => waitUntil(async () => (await statusOf(run)) === 'terminated');

describe('a timeout', () => {
  it('stops a run by itself that only waits for a person', async () => {
    const run = await start(asking(aMinute), 'activation.suspended');

    clock.advance(59_000);
    expect(await nothingIsDue()).toBe(true);
    clock.advance(2000);
    await until(run, 'run.finished');

    expect([await statusOf(run), await reasonOf(run)]).toEqual(['terminated', 'timeout: 60s']);
  });

  it('stops while the run is paused', async () => {
    const run = await start(asking(aMinute), 'activation.suspended');

    clock.advance(30_000);
    await stage.runtime.runs.control(run, 'pause');
    clock.advance(hour);
    expect(await nothingIsDue()).toBe(true);
    await expectSound(run);
    await stage.runtime.runs.resume(run);
    await expectSound(run);
    clock.advance(29_000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'waiting']);
    clock.advance(2000);
    await until(run, 'run.finished');

    expect(await reasonOf(run)).toBe('timeout: 60s');
  });

  it('fires during a pause when pauses count', async () => {
    const run = await start(asking(withPauses), 'activation.suspended');

    clock.advance(30_000);
    await stage.runtime.runs.control(run, 'pause');
    clock.advance(29_000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'paused']);
    await expectSound(run);
    clock.advance(2000);
    await until(run, 'run.finished');

    expect([await statusOf(run), await reasonOf(run)]).toEqual(['terminated', 'timeout: 60s']);
    await stage.runtime.runs.resume(run);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'waiting']);
  });

  it('that has expired is not postponed by a pause before its alarm', async () => {
    const run = await start(asking(withPauses), 'activation.suspended');
    await caretaker.close();

    clock.advance(61_000);
    await stage.runtime.runs.control(run, 'pause');
    await until(run, 'run.finished');

    expect([await statusOf(run), await reasonOf(run)]).toEqual(['terminated', 'timeout: 60s']);
    await expectSound(run);
  });

  it('does not count a pause in which something settles', async () => {
    const two = `graph:
  id: two
  termination: ${aMinute}
  nodes: [{ id: A, type: agent, config: ${models.agent('A')} }, { id: H, type: human, config: {} }]
  edges: [{ from: A, to: H }]
`;
    const run = await start(two, 'activation.started');
    await models.asked('A', 1);

    await stage.runtime.runs.control(run, 'pause');
    clock.advance(hour);
    models.answer('A');
    await until(run, 'activation.completed');
    expect(await statusOf(run)).toBe('paused');
    await stage.runtime.runs.resume(run);
    await until(run, 'activation.suspended');
    clock.advance(59_000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'waiting']);
    clock.advance(2000);
    await until(run, 'run.finished');

    expect(await reasonOf(run)).toBe('timeout: 60s');
  });

  it('of either kind is reset by a resume, after pauses that count for one kind only', async () => {
    const both = `[{ type: timeout, id: awake, config: { seconds: 60 } }, { type: timeout, id: all, config: { seconds: 600, count_paused: true } }]`;
    const run = await start(asking(both), 'activation.suspended');

    for (let pause = 0; pause < 2; pause++) {
      clock.advance(10_000);
      await stage.runtime.runs.control(run, 'pause');
      clock.advance(200_000);
      await stage.runtime.runs.resume(run);
    }
    clock.advance(39_000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'waiting']);
    clock.advance(2000);
    await until(run, 'run.finished');

    expect(await reasonOf(run)).toBe('awake: timeout: 60s');
  });

  it('of a segment that was stopped otherwise has no effect on the next one', async () => {
    const run = await start(asking(`[${aMinute}, { type: external }]`), 'activation.suspended');

    clock.advance(50_000);
    await stage.runtime.runs.signal(run, { name: 'external' });
    expect(await statusOf(run)).toBe('terminated');
    clock.advance(5000);
    await stage.runtime.runs.resume(run);
    clock.advance(59_000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'waiting']);
    const { seen = '0' } = (await stage.runtime.runs.describe(run)) ?? {};
    clock.advance(2000);
    await until(run, 'run.finished', seen);

    expect(await reasonOf(run)).toBe('timeout: 60s');
  });

  it('of a part of the run stops while the run is stopped, and continues with it', async () => {
    const part = `graph:
  id: part
  termination: { type: external }
  scopes: [{ id: talk, nodes: [H], termination: { ${aMinute.slice(1, -1)}, exit_to: [O] } }]
  start: H
  end: O
  nodes: [{ id: H, type: human, config: {} }, { id: O, type: passthrough, config: {} }]
`;
    const run = await start(part, 'activation.suspended');

    clock.advance(50_000);
    await stage.runtime.runs.signal(run, { name: 'external' });
    clock.advance(hour);
    await stage.runtime.runs.resume(run);
    clock.advance(9000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'waiting']);
    const { seen = '0' } = (await stage.runtime.runs.describe(run)) ?? {};
    clock.advance(2000);
    await until(run, 'run.finished', seen);

    expect(await stage.runtime.runs.describe(run)).toMatchObject({
      status: 'completed',
      outputs: { O: 'timeout: 60s' },
    });
  });

  it('continues in a fork, and in a fork of a fork, where it was at the point of the fork', async () => {
    const run = await start(twice(aMinute), 'activation.suspended');
    clock.advance(10_000);
    await stage.runtime.runs.control(run, 'pause');
    clock.advance(hour);
    await stage.runtime.runs.resume(run);
    clock.advance(20_000);
    await answerFirst(run);
    await stage.runtime.runs.cancel(run, 'enough');
    clock.advance(month);

    const fork = await forkAtSecond(run);
    await expectSound(fork);
    clock.advance(10_000);
    expect([await nothingIsDue(), await statusOf(fork)]).toEqual([true, 'waiting']);
    await stage.runtime.runs.cancel(fork, 'enough');
    clock.advance(month);
    const again = await forkAtSecond(fork);
    clock.advance(19_000);
    expect([await nothingIsDue(), await statusOf(again)]).toEqual([true, 'waiting']);
    clock.advance(2000);
    await stopped(again);

    expect([await statusOf(again), await reasonOf(again)]).toEqual(['terminated', 'timeout: 60s']);
    await expectSound(again);
  });

  it('counts pauses in a fork as it counted them before', async () => {
    const run = await start(twice(withPauses), 'activation.suspended');
    clock.advance(10_000);
    await stage.runtime.runs.control(run, 'pause');
    clock.advance(20_000);
    await stage.runtime.runs.resume(run);
    await answerFirst(run);
    await stage.runtime.runs.cancel(run, 'enough');
    clock.advance(month);

    const fork = await forkAtSecond(run);
    clock.advance(29_000);
    expect([await nothingIsDue(), await statusOf(fork)]).toEqual([true, 'waiting']);
    clock.advance(2000);
    await stopped(fork);

    expect(await reasonOf(fork)).toBe('timeout: 60s');
  });

  it('starts where the history of a fork starts', async () => {
    const two = `graph:
  id: two
  termination: ${withPauses}
  nodes: [{ id: A, type: literal, config: { content: a } }, { id: H, type: human, config: {} }]
  edges: [{ from: A, to: H }]
`;
    const run = await start(two, 'activation.suspended');

    clock.advance(hour);
    await until(run, 'run.finished');
    const fork = await stage.runtime.runs.fork(run, { at: 'a1' });
    await until(fork, 'activation.suspended');
    clock.advance(59_000);
    expect([await nothingIsDue(), await statusOf(fork)]).toEqual([true, 'waiting']);
    clock.advance(2000);
    await until(fork, 'run.finished');

    expect(await reasonOf(fork)).toBe('timeout: 60s');
  });
});

describe('a drain with a time limit', () => {
  const draining = (models: HeldModels) => `graph:
  id: draining
  start: [A, F]
  end: [A]
  termination: { any_of: [{ type: source_match, config: { sources: [F] } }], in_flight: { drain_seconds: 30 } }
  nodes:
    - { id: A, type: agent, config: ${models.agent('A')} }
    - { id: F, type: agent, config: ${models.agent('F')} }
`;
  const begin = async () => {
    const run = await start(draining(models), 'activation.started');
    await Promise.all([models.asked('A', 1), models.asked('F', 1)]);
    models.answer('F');
    await until(run, 'run.stopping');
    return run;
  };

  it('keeps results that arrive within it', async () => {
    const run = await begin();

    clock.advance(29_000);
    expect([await nothingIsDue(), await statusOf(run)]).toEqual([true, 'stopping']);
    models.answer('A');
    await until(run, 'run.finished');

    expect(await stage.runtime.runs.describe(run)).toMatchObject({
      status: 'terminated',
      outputs: { A: 'A says so', F: 'F says so' },
    });
  });

  it('aborts activations that still execute at its end, and repeats them when the run continues', async () => {
    const run = await begin();

    clock.advance(31_000);
    await models.hungUp('A', 1);
    await until(run, 'run.finished');
    expect(await stage.runtime.runs.describe(run)).toMatchObject({
      status: 'terminated',
      outputs: { F: 'F says so' },
    });

    await stage.runtime.runs.resume(run);
    await models.asked('A', 2);
    models.answer('A');
    const { seen = '0' } = (await stage.runtime.runs.describe(run)) ?? {};
    await until(run, 'run.finished', seen);
    expect(await stage.runtime.runs.describe(run)).toMatchObject({ status: 'completed', outputs: { A: 'A says so' } });
  });
});
