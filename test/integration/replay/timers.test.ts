import type { ActivationId, JournalEntry, RunId } from '@millrace/core';
import { textMessage, textOf } from '@millrace/core';
import { createVirtualClock, realClock, sleep } from '@millrace/runtime';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openBeforeEach } from '../../support/fixtures.ts';
import { audit } from '../../support/runs/audit.ts';
import { openStage, workflowIn } from '../../support/runs/stage.ts';
import { untilEnded } from '../../support/runs/watching.ts';
import { waitUntil } from '../../support/waiting.ts';

/** A person in a loop, which ends when its timer has run for a minute. */
const timed = `
graph:
  id: timed
  start: [H]
  end: [E]
  nodes:
    - {id: H, type: human, config: {}}
    - {id: T, type: loop_timer, config: {max_duration: 60, passthrough: true, message: late}}
    - {id: E, type: passthrough, config: {}}
  edges:
    - {from: H, to: T}
    - {from: T, to: H, condition: {type: keyword, config: {none: [late]}}}
    - {from: T, to: E, condition: {type: keyword, config: {any: [late]}}}
`;

/** A delay of a minute beside two questions. */
const delayed = `
graph:
  id: delayed
  start: [W, H]
  end: [I]
  nodes:
    - {id: W, type: delay, config: {for: 60s}}
    - {id: H, type: human, config: {}}
    - {id: I, type: human, config: {}}
  edges: [{from: H, to: I}]
`;

const second = 1000;
const month = 30 * 24 * 3600 * second;

let clock: number;
const stage = openBeforeEach(() => openStage({ where: { local: true, clock: { ...realClock, now: () => clock } } }));
beforeEach(() => {
  clock = Date.UTC(2026, 10, 1);
});

const start = (text: string): Promise<RunId> =>
  stage.runtime.runs.start({ workflow: workflowIn(text, stage.vocabulary), input: 'x' });
const journalOf = (run: RunId): Promise<readonly JournalEntry[]> => stage.runtime.store.journal(run, '0', 10_000);

/** Waits until a run asks another question than that of an activation, or has ended; returns the activation that asks. */
async function asked(run: RunId, before?: ActivationId): Promise<ActivationId | undefined> {
  const { runs } = stage.runtime;
  const found = await waitUntil(async () => {
    const [task] = await runs.tasks(run);
    if (task !== undefined && task.activation !== before) return task;
    return (await runs.describe(run))?.status === 'completed' && { activation: undefined };
  });
  return found.activation;
}

/** Answers the question of a run after some time, and waits for the next one; undefined if the run has ended. */
async function answerAfter(run: RunId, ms: number): Promise<ActivationId | undefined> {
  const activation = await asked(run);
  clock += ms;
  await stage.runtime.runs.answer(run, activation && { activation }, { message: textMessage('user', 'Go on.', 'H') });
  return asked(run, activation);
}

/** A run whose timer has run for 30 s when it asks for the third time, and that activation. */
async function halfTimed(): Promise<{ readonly run: RunId; readonly at: ActivationId }> {
  const run = await start(timed);
  await answerAfter(run, 0);
  const at = await answerAfter(run, 30 * second);
  if (at === undefined) throw new Error('the timer is not over');
  return { run, at };
}

/** Expects the timer of a run to be over after 30 s more, and not after 20 s. */
async function expectHalfMinute(run: RunId): Promise<void> {
  expect(await answerAfter(run, 20 * second)).toBeDefined();
  expect(await answerAfter(run, 20 * second)).toBeUndefined();
  const { output } = (await stage.runtime.runs.describe(run)) ?? {};
  expect(output && textOf(output)).toBe('late');
  expect(await audit(stage.runtime.store, run, stage.vocabulary)).toEqual([]);
}

describe('a loop timer', () => {
  it('continues in a fork where it was at the point of the fork', async () => {
    const { run, at } = await halfTimed();
    clock += month;

    await expectHalfMinute(await stage.runtime.runs.fork(run, { at }));
  });

  it('continues in a fork of a fork', async () => {
    const { run, at } = await halfTimed();
    clock += month;
    const fork = await stage.runtime.runs.fork(run, { at });
    await asked(fork);
    clock += month;

    await expectHalfMinute(await stage.runtime.runs.fork(fork, { at }));
  });

  it('continues where a replay goes live', async () => {
    const { run, at } = await halfTimed();
    await stage.runtime.runs.stop(run, { note: 'enough', inFlight: 'cancel' });
    clock += month;

    await expectHalfMinute(await stage.runtime.runs.replay(run, { liveFrom: at }));
  });

  it.each(['strict', 'position', 'reuse'] as const)('decides a month later as it did, in the mode %s', async (mode) => {
    const { run } = await halfTimed();
    await expectHalfMinute(run);
    clock += month;

    const replay = await stage.runtime.runs.replay(run, { mode });

    const { status, output } = await waitUntil(async () => {
      const description = await stage.runtime.runs.describe(replay);
      return description?.finishedAt !== undefined && description;
    });
    expect([status, output && textOf(output)]).toEqual(['completed', 'late']);
  });

  it('does not count the time between the end of a run and its resumption', async () => {
    const { run } = await halfTimed();
    await stage.runtime.runs.stop(run, { note: 'enough', inFlight: 'cancel' });
    clock += month;
    await stage.runtime.runs.resume(run);

    await expectHalfMinute(run);
    const same = await stage.runtime.runs.replay(run);
    await waitUntil(async () => (await stage.runtime.runs.describe(same))?.status === 'completed');
  });
});

it('a delay that was under way waits for the rest of its time where a replay goes live', async () => {
  const run = await start(delayed);
  await waitUntil(async () => (await journalOf(run)).some(({ event }) => event.type === 'activation.postponed'));
  const at = await answerAfter(run, 0);
  await stage.runtime.runs.stop(run, { note: 'enough', inFlight: 'cancel' });
  clock += month;

  const replay = await stage.runtime.runs.replay(run, { liveFrom: at ?? 'a1' });

  const until = await waitUntil(async () =>
    (await journalOf(replay))
      .flatMap(({ event }) => (event.type === 'activation.postponed' ? [event.until] : []))
      .at(0),
  );
  expect(until).toBe(clock + 60 * second);
});

it('a delay waits in a fork for the rest of its time', async () => {
  const run = await start(delayed);
  await waitUntil(async () => (await journalOf(run)).some(({ event }) => event.type === 'activation.postponed'));
  const at = await answerAfter(run, 30 * second);
  clock += month;

  const fork = await stage.runtime.runs.fork(run, { at: at ?? 'a1' });

  const postponements = await waitUntil(async () => {
    const journal = await journalOf(fork);
    const own = journal.slice(journal.findIndex(({ event }) => event.type === 'run.forked'));
    const found = own.flatMap(({ event }) => (event.type === 'activation.postponed' ? [event.until] : []));
    return found.length > 0 && found;
  });
  expect(postponements).toEqual([clock + 30 * second]);
});

it('a loop timer counts on from the last place that the source has where another workflow goes further', async () => {
  const text = (seconds: number) => `
graph:
  id: turns
  start: [A]
  end: [E]
  nodes:
    - {id: A, type: literal, config: {content: go}}
    - {id: W, type: delay, config: {for: 20s}}
    - {id: T, type: loop_timer, config: {max_duration: ${seconds}, passthrough: true, message: late}}
    - {id: E, type: passthrough, config: {}}
  edges:
    - {from: A, to: W}
    - {from: W, to: T}
    - {from: T, to: W, condition: {type: keyword, config: {none: [late]}}}
    - {from: T, to: E, condition: {type: keyword, config: {any: [late]}}}
`;
  const virtual = createVirtualClock(Date.UTC(2026, 0, 1));
  const moving = await openStage({ where: { local: true, clock: virtual } });
  onTestFinished(() => moving.close());
  moving.runtime.startCaretaker();
  const { runs } = moving.runtime;
  const tookMs = async (run: RunId) => {
    await untilEnded(runs, run);
    const { status, startedAt = 0, finishedAt = 0 } = (await runs.describe(run)) ?? {};
    expect(status).toBe('completed');
    return finishedAt - startedAt;
  };
  const run = await runs.start({ workflow: workflowIn(text(30), moving.vocabulary), input: 'x' });
  // The timer begins at 20 s, and is over at 60 s.
  expect(await tookMs(run)).toBe(60 * second);
  await sleep(virtual, month, new AbortController().signal);

  const plan = { workflow: workflowIn(text(70), moving.vocabulary) };
  // The recorded time goes to 60 s, and the timer is over at 100 s.
  expect(await tookMs(await runs.replay(run, { mode: 'reuse', plan }))).toBe(40 * second);
});
