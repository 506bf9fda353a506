import { describe, expect, it } from 'vitest';
import { fork, resume, TableRun } from '../../../test-support/table-run.ts';

describe('a postponed activation', () => {
  it('is woken at its time with a new token', () => {
    const run = new TableRun(fork);
    const before = run.tokenOf('a1');
    run.claim('a1');

    run.settle('a1', { type: 'postponed', until: 9000 });

    expect(run.tokenOf('a1')).not.toBe(before);
    expect([...run.agenda.values()].find(({ at }) => at === 9000)?.due).toMatchObject({ token: run.tokenOf('a1') });
    expect(run.claim('a1')).toBe('accepted');
  });

  it('is parked by a pause like any other', () => {
    const run = new TableRun(fork);
    run.settle('a1', { type: 'postponed', until: 9000 });
    run.claim('a2');

    run.ask({ type: 'pause' });
    run.settle('a2', { type: 'postponed', until: 9000 });

    expect(run.due).toEqual([]);
    run.ask(resume);
    expect(run.due).toEqual(['a1', 'a2']);
  });
});

describe('the time limit of a run', () => {
  it('fails the run at its end, and starts again with a retry', () => {
    const run = new TableRun(fork, 60_000);
    run.claim('a1');
    expect(run.due).toEqual(['a1', 'a2', 'alarm/timeout']);

    run.now = 61_000;
    expect(run.ring()).toBe('accepted');

    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'RUN_TIMEOUT' } });
    expect(run.due).toEqual([]);
    run.ask({ type: 'retry' });
    expect([...run.agenda.values()].map(({ at }) => at)).toContain(121_000);
  });

  it('stops while the run is paused', () => {
    const run = new TableRun(fork, 60_000);
    run.now = 11_000;
    run.ask({ type: 'pause' });
    expect(run.due).toEqual([]);

    run.now = 500_000;
    run.ask(resume);

    expect(run.agenda.get([...run.agenda.keys()].find((key) => key.includes('alarm/')) ?? '')?.at).toBe(550_000);
  });

  it('has no effect once the run has ended', () => {
    const run = new TableRun(fork, 60_000);
    run.complete('a1', 0);
    run.complete('a2', 1);
    run.complete('a3');

    expect(run.run.status).toBe('completed');
    expect(run.due).toEqual([]);
  });
});
