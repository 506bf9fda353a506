import { describe, expect, it } from 'vitest';
import { failed, fork, resume, TableRun, wait } from '../../../test-support/table-run.ts';

describe('a paused run', () => {
  it('lets executing activations finish and starts nothing, not even its end', () => {
    const run = new TableRun(fork);
    run.complete('a1', 0);
    run.complete('a2', 1);
    run.claim('a3');
    run.ask({ type: 'pause' });

    expect(run.due).toEqual(['a3']);
    run.complete('a3');
    expect(run.run).toMatchObject({ status: 'paused', live: 0 });
    run.ask(resume);

    expect(run.run).toMatchObject({ status: 'completed', segment: 1 });
  });

  it('accepts answers, and wakes their activations when it is resumed', () => {
    const run = new TableRun(fork);
    run.settle('a1', { type: 'suspended', wait });
    run.ask({ type: 'pause' });

    const answer = { role: 'user', source: 'p', body: 0 } as const;
    const bodies = [{ role: 'user', content: 'yes' } as const];
    expect(run.ask({ type: 'answer', activation: 'a1', answer, bodies })).toBe('accepted');
    expect(run.due).toEqual([]);
    run.ask(resume);

    expect(run.due).toEqual(['a1', 'a2']);
  });

  it('fails when an executing activation fails', () => {
    const run = new TableRun(fork);
    run.claim('a1');
    run.ask({ type: 'pause' });

    run.settle('a1', failed);

    expect(run.run.status).toBe('failed');
  });
});
