import { describe, expect, it } from 'vitest';
import { failed, fork, resume, stop, TableRun, wait } from '../../../test-support/table-run.ts';

describe('a stopped run', () => {
  it('ends at once when no activation is executing, and keeps what was due', () => {
    const run = new TableRun(fork);

    expect(run.ask(stop('drain'))).toBe('accepted');

    expect(run.run).toMatchObject({ status: 'terminated', stop: { code: 'external', text: 'enough' }, live: 2 });
    expect(run.due).toEqual([]);
    expect(run.complete('a1', 0)).toBe('RUN_ENDED');
  });

  it('lets executing activations finish, routes their outputs, and starts nothing', () => {
    const run = new TableRun(fork);
    run.claim('a1');
    run.ask(stop('drain'));

    expect(run.run.status).toBe('stopping');
    expect(run.due).toEqual(['a1']);
    expect(run.claim('a2')).toBe('ACTIVATION_PARKED');
    expect(run.complete('a1', 0)).toBe('accepted');

    expect(run.run.status).toBe('terminated');
    expect(run.last).toEqual(['activation.completed', 'run.finished']);
  });

  it('does not wait for executing activations when they are cancelled, and refuses their results', () => {
    const run = new TableRun(fork);
    run.claim('a1');
    const token = run.tokenOf('a1');

    run.ask(stop('cancel'));
    expect(run.run.status).toBe('terminated');
    run.ask(resume);

    expect(run.settle('a1', { type: 'completed', outputs: [], routes: [] }, token)).toBe('WAKE_STALE');
  });

  it('can be stopped again with cancellation, and once more without effect', () => {
    const run = new TableRun(fork);
    run.claim('a1');
    run.ask(stop('drain'));

    expect(run.ask(stop('drain'))).toBe('accepted');
    expect(run.last).toEqual([]);
    expect(run.ask(stop('cancel'))).toBe('accepted');

    expect(run.run.status).toBe('terminated');
  });

  it('is terminated although an executing activation fails, and retries that when it is resumed', () => {
    const run = new TableRun(fork);
    run.claim('a1');
    run.ask(stop('drain'));

    run.settle('a1', failed);
    expect(run.run).toMatchObject({ status: 'terminated', error: { code: 'X' } });
    run.ask(resume);

    expect(run.run).not.toHaveProperty('error');
    expect(run.due).toEqual(['a1', 'a2']);
  });

  it('accepts no answers until it is resumed', () => {
    const run = new TableRun(fork);
    const answer = {
      type: 'answer',
      activation: 'a1',
      answer: { role: 'user', source: 'p', body: 0 },
      bodies: [{ role: 'user', content: 'yes' }],
    } as const;
    run.claim('a2');
    run.settle('a1', { type: 'suspended', wait });
    run.ask(stop('drain'));

    expect(run.ask(answer)).toBe('RUN_NOT_ACTIVE');
    run.ask(stop('cancel'));
    run.ask(resume);

    expect(run.due).toEqual(['a2']);
    expect(run.ask(answer)).toBe('accepted');
    expect(run.due).toEqual(['a1', 'a2']);
  });
});
