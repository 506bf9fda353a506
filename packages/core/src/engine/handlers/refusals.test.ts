import { expect, it } from 'vitest';
import { failed, fork, TableRun, vote, wait } from '../../../test-support/table-run.ts';

const step = { activation: 'a1', step: 0, name: 'ask', request: 'q' } as const;

it('refuses a result of an activation that waits for an answer', () => {
  const run = new TableRun(vote);
  run.settle('a1', { type: 'suspended', wait });

  expect(run.settle('a1', failed)).toBe('ACTIVATION_WAITS');
});

it('refuses an alarm that has been set again', () => {
  const run = new TableRun(fork, 60_000);

  expect(run.ask({ type: 'alarm', alarm: 'alarm/timeout', token: 'of before' })).toBe('ALARM_STALE');
});

it('refuses a part of the journal that does not follow the archived ones', () => {
  const run = new TableRun(vote);

  expect(run.ask({ type: 'archive', from: 5, to: 9, digest: 'd', messages: 0, activations: 4 })).toBe('ARCHIVE_MOVED');
});

it('refuses a call of a worker that does not know the budget of the run', () => {
  const run = new TableRun(vote);
  run.ask({ type: 'pause' });
  run.ask({ type: 'resume', task: [], bodies: [], budget: { tokens: 100 } });

  expect(run.ask({ ...step, type: 'step.start', token: run.tokenOf('a1'), worst: 'unlimited' })).toBe('BUDGET_MOVED');
});

it('refuses the stop of a scope that is not active', () => {
  const run = new TableRun(fork);

  expect(run.ask({ type: 'stop', stop: { code: 'external', text: 'enough' }, inFlight: 'drain', scope: 'talk' })).toBe(
    'SCOPE_UNKNOWN',
  );
});

it('refuses a settlement that depends on steps that the run has lost', () => {
  const run = new TableRun(vote);
  const result = { type: 'completed', outputs: [], routes: [] } as const;

  expect(run.ask({ type: 'settle', activation: 'a1', token: run.tokenOf('a1'), result, steps: 2, bodies: [] })).toBe(
    'STEPS_LOST',
  );
});

it('refuses the result of a step that was not begun', () => {
  const run = new TableRun(vote);
  const bodies = [{ role: 'tool', content: 'done' }] as const;

  expect(run.ask({ ...step, type: 'step.complete', token: run.tokenOf('a1'), bodies })).toBe('STEP_UNKNOWN');
});

it('refuses a recorded result that another step may have taken', () => {
  const run = new TableRun(vote);
  const reuse = { ...step, type: 'step.reuse', counts: [], recorded: {}, bodies: [] } as const;

  expect(run.ask({ ...reuse, token: run.tokenOf('a1'), seen: { steps: 1, moved: 1 } })).toBe('REUSE_MOVED');
});

it('refuses a settlement whose counter another one has moved', () => {
  const run = new TableRun(
    'graph: {id: g, start: [A], nodes: [{id: A, type: loop_counter, config: {}}, {id: B, type: literal, config: {content: b}}], edges: [{from: A, to: B}]}',
  );
  const state = { read: { count: 1 }, write: { count: 2 } };

  expect(run.settle('a1', { type: 'completed', outputs: [], routes: [], state })).toBe('STATE_MOVED');
});

/** A loop of A and B behind S and T. */
const loop = (start: string, entries: string) => {
  const nodes = ['S', 'T', 'A', 'B'].map((id) => `{id: ${id}, type: literal, config: {content: x}}`).join(', ');
  return `graph: {id: g, start: ${start}, end: [A], nodes: [${nodes}], edges: [${entries}, {from: A, to: B}, {from: B, to: A}]}`;
};

it('fails a run whose loop is entered at another node than its start', () => {
  const run = new TableRun(loop('[S, A]', '{from: S, to: B}'));
  run.complete('a1', 0);

  expect(run.run.error?.code).toBe('CYCLE_ENTRY');
});

it('fails a run whose loop is entered at two nodes at once', () => {
  const run = new TableRun(loop('[S, T]', '{from: S, to: A}, {from: T, to: B}'));
  run.complete('a1', 0);
  run.complete('a2', 1);

  expect(run.run.error?.code).toBe('CYCLE_ENTRIES');
});
