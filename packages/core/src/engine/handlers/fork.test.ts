import { expect, it } from 'vitest';
import { resume, fork as sideBySide, TableRun } from '../../../test-support/table-run.ts';
import { decide } from '../decide/decide.ts';
import { elapsedTimes } from '../evolve/scopes/evolve-termination.ts';
import { State } from '../state/state.ts';
import type { ForkCommand, ForkHistory } from './fork.ts';

const later = 1_000_000;

/** Forks a run at an activation by what its fork shares of it, and returns the state of the fork. */
function forked(run: TableRun, activation: `a${number}`, history: ForkHistory): State {
  const command: ForkCommand = {
    type: 'fork',
    of: 'r',
    plan: 'p',
    history,
    copies: [],
    until: run.now,
    elapsed: elapsedTimes(run.state, run.now),
    activation,
    memory: [],
    bodies: [],
  };
  const moment = { run: 'fork', at: later, nonce: 'forked' };
  const { decision, verdicts } = decide(run.plan, new State(), { commands: [command], moment, limits: run.limits });
  expect(verdicts).toEqual([{ type: 'accepted' }]);
  const state = new State();
  state.apply(decision.writes);
  return state;
}

/** A run whose work was begun, paused and resumed, one after the other. */
function history(timeoutMs?: number): TableRun {
  const run = new TableRun(sideBySide, timeoutMs);
  run.now += 10;
  run.claim('a1');
  run.now += 10;
  run.ask({ type: 'pause' });
  run.now += 1000;
  run.ask(resume);
  run.now += 10;
  run.settle('a2', { type: 'suspended', wait: { kind: 'human', prompt: '?', input: '' } });
  run.now += 10;
  return run;
}

it.each([undefined, 60_000])(
  'is the same by the events of the history, and by copies with the state after them',
  (ms) => {
    const run = history(ms);
    const part = { to: 7, digest: 'd', messages: 1, activations: 2 };

    const byEvents = forked(run, 'a1', { type: 'events', events: run.journal.map(({ event }) => event) });
    const byParts = forked(run, 'a1', { type: 'parts', parts: [part], state: run.state });

    expect(byParts.list('archive/journal')).toEqual([{ ...part, copiedAt: later }]);
    byParts.lists.delete('archive/journal');
    expect(Object.fromEntries(byParts.records)).toEqual(Object.fromEntries(byEvents.records));
    expect(byParts.lists).toEqual(byEvents.lists);
    const stoodStillMs = later - run.now;
    expect(byParts.get('run')).toMatchObject({ startedAt: later, stoodStillMs, stoodStillBeforeForkMs: stoodStillMs });
  },
);

it('forgets where the journal of the other run is stored', () => {
  const run = history();
  run.ask({ type: 'archive', from: 0, to: 2, digest: 'd', messages: 1, activations: 2 });

  const fork = forked(run, 'a1', { type: 'events', events: run.journal.map(({ event }) => event) });

  expect(fork.list('archive/journal')).toEqual([]);
});
