import { describe, expect, it } from 'vitest';
import { failed, fork, map, resume, stop, TableRun, told, vote, wait } from '../../../test-support/table-run.ts';

/** One person. */
const asking = `graph:
  id: g
  nodes:
    - {id: A, type: human, config: {}}
`;
const answer = {
  type: 'answer',
  activation: 'a1',
  answer: { role: 'user', source: 'person', body: 0 },
  bodies: [{ role: 'user', content: 'yes' }],
} as const;

describe('a run that is resumed', () => {
  it('comes to its end as if nothing had been', () => {
    const run = new TableRun(fork);
    run.complete('a1', 0);
    run.ask(stop('drain'));
    run.ask(resume);

    run.complete('a2', 1);
    run.complete('a3');

    expect(run.run).toMatchObject({ status: 'completed', segment: 2, activations: 3, live: 0 });
    expect(run.run).not.toHaveProperty('stop');
  });

  it('starts what became due while it was stopping', () => {
    const run = new TableRun(fork);
    run.complete('a2', 1);
    run.claim('a1');
    run.ask(stop('drain'));
    run.complete('a1', 0);

    run.ask(resume);

    expect(run.due).toEqual(['a3']);
  });

  it('does not count votes twice', () => {
    const run = new TableRun(vote);
    run.complete('a1');
    run.ask(stop('drain'));
    run.ask(resume);

    expect(run.due).toEqual(['a2']);
    run.complete('a2');
    expect(run.run.status).toBe('completed');
  });

  it('goes on with the units of a fan-out, as many at a time as before', () => {
    const run = new TableRun(map);
    const unit = { role: 'user', source: 'A', body: 0 } as const;
    run.complete('a1', 0);
    run.settle('a2', { type: 'split', statics: [], units: [unit, unit, unit] });
    run.claim('a3');
    run.ask(stop('drain'));
    run.complete('a3');
    expect(run.run.status).toBe('terminated');

    run.ask(resume);

    expect(run.due).toEqual(['a4', 'a5']);
  });

  it('tells the nodes that it goes on with what it was told', () => {
    const run = new TableRun(fork);
    run.complete('a1', 0);
    run.ask(stop('drain'));

    expect(run.ask(told)).toBe('accepted');

    expect(run.state.list('recent/s0/B').map(({ id }) => id)).toEqual(['m1', 'm3']);
    expect(run.state.list('recent/s0/C')).toEqual([]);
  });

  it('asks a person anew who is told more, under the same id', () => {
    const run = new TableRun(asking);
    run.settle('a1', { type: 'suspended', wait });
    run.ask(stop('drain'));

    expect(run.ask(told)).toBe('accepted');

    expect(run.state.list('recent/s0/A').map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect([run.due, run.run.waiting]).toEqual([['a1'], 0]);
    run.settle('a1', { type: 'suspended', wait });
    expect(run.run).toMatchObject({ waiting: 1, live: 1, activations: 1 });
    run.ask(answer);
    run.complete('a1');
    expect(run.run).toMatchObject({ status: 'completed', live: 0, waiting: 0 });
  });

  it('leaves the question as it is when it is told nothing, or the person has answered', () => {
    const run = new TableRun(asking);
    run.settle('a1', { type: 'suspended', wait });
    run.ask({ type: 'pause' });
    run.ask({ type: 'resume', task: [], bodies: [], to: 'A' });
    expect([run.due, run.run.waiting]).toEqual([[], 1]);

    run.ask({ type: 'pause' });
    run.ask(answer);

    expect(run.ask(told)).toBe('RUN_NOT_LISTENING');
  });

  it('does not take the word out of the mouth of an agent that asks a person', () => {
    const run = new TableRun(fork);
    run.complete('a1', 0);
    run.settle('a2', { type: 'suspended', wait });
    run.ask(stop('drain'));

    expect(run.ask(told)).toBe('RUN_NOT_LISTENING');
  });

  it('refuses what nobody would hear, and is as it was', () => {
    const run = new TableRun(vote);
    run.complete('a1');
    run.ask(stop('drain'));

    expect(run.ask(told)).toBe('RUN_NOT_LISTENING');
    expect(run.run.status).toBe('terminated');
  });

  it('is refused while it goes on, stops, or is over for good', () => {
    const run = new TableRun(fork);
    run.claim('a1');

    expect(run.ask(resume)).toBe('RUN_NOT_STOPPED');
    run.ask(stop('drain'));
    expect(run.ask(resume)).toBe('RUN_NOT_STOPPED');
    run.ask({ type: 'cancel', reason: 'over' });
    expect(run.tell(resume)).toEqual([
      {
        type: 'refused',
        code: 'RUN_NOT_STOPPED',
        message: 'The run was cancelled and cannot be resumed. Start a new run.',
      },
    ]);
  });

  it('may be stopped and resumed in one commit', () => {
    const run = new TableRun(fork);

    const verdicts = run.tell({ type: 'pause' }, resume, stop('drain'), resume, { type: 'pause' }, resume);

    expect(verdicts.every(({ type }) => type === 'accepted')).toBe(true);
    expect(run.due).toEqual(['a1', 'a2']);
    expect(run.complete('a1', 0)).toBe('accepted');
  });
});

describe('a run that has failed', () => {
  it('has let what was at work finish, and parked the rest', () => {
    const run = new TableRun(fork);
    run.claim('a2');

    run.settle('a1', failed);
    expect(run.run.status).toBe('failing');
    run.complete('a2', 1);

    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'X', node: 'A' } });
  });

  it('goes on from what failed when it is retried', () => {
    const run = new TableRun(fork);
    run.complete('a2', 1);
    run.settle('a1', failed);

    expect(run.ask({ type: 'retry' })).toBe('accepted');

    expect(run.due).toEqual(['a1']);
    run.complete('a1', 0);
    run.complete('a3');
    expect(run.run).toMatchObject({ status: 'completed', activations: 3 });
    expect(run.ask({ type: 'retry' })).toBe('RUN_NOT_FAILED');
  });

  it('tries the steps again that it failed over, and keeps the others', () => {
    const run = new TableRun(fork);
    const step = (at: number, failed?: true) => {
      const place = { activation: 'a1', token: run.tokenOf('a1'), step: at, name: 'chat', request: `${at}` } as const;
      run.ask({ type: 'step.start', ...place });
      const bodies = [{ role: 'tool', content: '' } as const];
      run.ask({ type: 'step.complete', ...place, bodies, ...(failed === undefined ? {} : { failed }) });
    };
    step(0, true);
    step(1);
    step(2, true);
    step(3, true);
    run.settle('a1', failed);

    run.ask({ type: 'retry' });

    expect([...run.state.keys('step/')]).toEqual(['step/a1/0', 'step/a1/1']);
    expect(run.state.get('activation/a1')?.steps).toBe(2);
  });
});
