import { textMessage, textOf } from '@millrace/core';
import { expect, it } from 'vitest';
import { audit, journalOf } from '../../support/runs/audit.ts';
import { onBothStores } from '../../support/runs/both-stores.ts';
import type { Stage } from '../../support/runs/stage.ts';
import { workflowIn } from '../../support/runs/stage.ts';
import { untilEntry } from '../../support/runs/watching.ts';

const delayed = (config: string) => `
graph:
  id: delayed
  start: [Wait]
  nodes:
    - { id: Wait, type: delay, config: ${config} }
    - { id: After, type: passthrough, config: {} }
  edges:
    - { from: Wait, to: After }
`;

const delayedBeside = `
graph:
  id: beside
  start: [Wait, Ask]
  nodes:
    - { id: Wait, type: delay, config: { for: 3s } }
    - { id: Ask, type: human, config: {} }
    - { id: After, type: passthrough, config: {} }
  edges:
    - { from: Wait, to: After }
    - { from: Ask, to: After }
`;

onBothStores('a delay', (stage) => {
  it('forwards its input when its duration is over, and not before', async () => {
    beginCaretaking(stage);
    const { description, journal } = await stage.run(delayed('{ for: 1s }'), 'hello');

    expect(description.output && textOf(description.output)).toBe('hello');
    const postponed = journal.find(({ event }) => event.type === 'activation.postponed');
    const completed = journal.find(({ event }) => event.type === 'activation.completed');
    expect(postponed?.event).toMatchObject({ until: expect.any(Number) });
    const until = postponed?.event.type === 'activation.postponed' ? postponed.event.until : 0;
    expect(completed?.at).toBeGreaterThanOrEqual(until);
    expect(await audit(stage.runtime.store, description.run, stage.vocabulary)).toEqual([]);
  });

  it('waits until the time in a variable of a message', async () => {
    beginCaretaking(stage);
    const due = new Date(Date.now() + 1500).toISOString();
    const workflow = workflowIn(
      `
graph:
  id: due
  nodes:
    - { id: Plan, type: template, config: { text: '{{ text }}', variables: { due: '{{ text }}' } } }
    - { id: Wait, type: delay, config: { until: '{{due}}' } }
  edges:
    - { from: Plan, to: Wait }
`,
      stage.vocabulary,
    );
    const { description } = await stage.run(workflow, due);

    expect(description.status).toBe('completed');
    expect(description.finishedAt).toBeGreaterThanOrEqual(Date.parse(due));
  });

  it('does not wait for a time that has passed', async () => {
    const workflow = workflowIn(delayed('{ until: 2001-01-01T00:00:00Z }'), stage.vocabulary);
    const { journal, description } = await stage.run(workflow, 'late');

    expect(description.status).toBe('completed');
    expect(journal.map(({ event }) => event.type)).not.toContain('activation.postponed');
  });

  it('keeps its end while the run is paused', async () => {
    beginCaretaking(stage);
    const { runs } = stage.runtime;
    const run = await runs.start({ workflow: workflowIn(delayed('{ for: 1s }'), stage.vocabulary), input: 'x' });
    const { until } = await postponement(stage, run);
    await runs.control(run, 'pause');
    await runs.resume(run);
    const { at } = await untilEntry(stage.runtime.runs, run, (one) => one.event.type === 'run.finished');

    const ends = (await journalOf(stage.runtime.store, run)).flatMap((one) =>
      one.event.type === 'activation.postponed' ? [one.event.until] : [],
    );
    expect(new Set(ends)).toEqual(new Set([until]));
    expect(at).toBeGreaterThanOrEqual(until);
  });

  it('takes no time in a replay', async () => {
    beginCaretaking(stage);
    const { description } = await stage.run(delayed('{ for: 2s }'), 'again');
    const replay = await stage.runtime.runs.replay(description.run);
    await untilEntry(stage.runtime.runs, replay, ({ event }) => event.type === 'run.finished');

    const types = (await journalOf(stage.runtime.store, replay)).map(({ event }) => event.type);
    expect(types).not.toContain('activation.postponed');
    expect(await stage.runtime.runs.describe(replay)).toMatchObject({ status: 'completed' });
  });

  it('keeps its end in a fork of its run, and starts again in a fork at itself', async () => {
    beginCaretaking(stage);
    const { runs } = stage.runtime;
    const run = await runs.start({ workflow: workflowIn(delayedBeside, stage.vocabulary), input: 'x' });
    const first = await postponement(stage, run);
    const { event: asked } = await untilEntry(
      stage.runtime.runs,
      run,
      ({ event }) => event.type === 'activation.suspended',
    );
    const question = asked.type === 'activation.suspended' ? asked.activation : 'a0';

    const beside = await runs.fork(run, { at: question, output: textMessage('user', 'yes', 'person') });
    const anew = await runs.fork(run, { at: first.activation });
    const ended = await untilEntry(stage.runtime.runs, beside, ({ event }) => event.type === 'run.finished');
    const { at: forkedAt } = await untilEntry(stage.runtime.runs, anew, ({ event }) => event.type === 'run.forked');
    const again = await postponement(stage, anew, true);

    expect(ended.at).toBeGreaterThanOrEqual(first.until);
    expect(ended.at).toBeLessThan(first.until + 10_000);
    expect(again.until).toBeGreaterThanOrEqual(forkedAt + 2900);
    await Promise.all([run, anew].map((one) => runs.cancel(one, 'done')));
  });

  it('is ended when its run is stopped', async () => {
    const { runs } = stage.runtime;
    const run = await runs.start({ workflow: workflowIn(delayed('{ for: 1h }'), stage.vocabulary), input: 'x' });
    await untilEntry(stage.runtime.runs, run, ({ event }) => event.type === 'activation.postponed');
    await runs.stop(run, { note: 'enough', inFlight: 'drain' });

    expect(await runs.describe(run)).toMatchObject({ status: 'terminated' });
  });
});

const cared = new WeakSet<Stage>();

/** Starts the caretaker of a stage, which wakes what is due. */
function beginCaretaking(stage: Stage): void {
  if (cared.has(stage)) return;
  cared.add(stage);
  stage.runtime.startCaretaker();
}

/** Returns the event of the delay that was postponed in a run; `isForked`: since the run was forked. */
async function postponement(stage: Stage, run: string, isForked = false) {
  let counts = !isForked;
  const { event } = await untilEntry(stage.runtime.runs, run, (one) => {
    counts ||= one.event.type === 'run.forked';
    return counts && one.event.type === 'activation.postponed';
  });
  if (event.type !== 'activation.postponed') throw new Error('nothing was postponed');
  return event;
}
