import { describe, expect, it } from 'vitest';
import {
  failed,
  fork,
  map,
  resume,
  resumeWithTask,
  stop,
  TableRun,
  vote,
  wait,
} from '../../../test-support/table-run.ts';

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

describe('a resumed run', () => {
  it('ends with the same result as an uninterrupted run', () => {
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

  it('continues with the units of a fan-out, as many at a time as before', () => {
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

  it('delivers the input of the resume to the nodes that continue', () => {
    const run = new TableRun(fork);
    run.complete('a1', 0);
    run.ask(stop('drain'));

    expect(run.ask(resumeWithTask)).toBe('accepted');

    expect(run.state.list('recent/s0/B').map(({ id }) => id)).toEqual(['m1', 'm3']);
    expect(run.state.list('recent/s0/C')).toEqual([]);
  });

  it('asks a person again with the new input, under another id', () => {
    const run = new TableRun(asking);
    run.settle('a1', { type: 'suspended', wait });
    run.ask(stop('drain'));

    expect(run.ask(resumeWithTask)).toBe('accepted');

    expect(run.state.list('recent/s0/A').map(({ id }) => id)).toEqual(['m1', 'm2']);
    expect([run.due, run.run.waiting]).toEqual([['a1'], 0]);
    run.settle('a1', { type: 'suspended', wait });
    expect(run.run).toMatchObject({ waiting: 1, live: 1, activations: 1 });
    expect(run.ask(answer)).toBe('TASK_ANSWERED');
    expect(run.ask({ ...answer, question: 3 })).toBe('TASK_UNKNOWN');
    run.ask({ ...answer, question: 2 });
    run.complete('a1');
    expect(run.run).toMatchObject({ status: 'completed', live: 0, waiting: 0 });
  });

  it('keeps the question without a new input, or when the person has answered', () => {
    const run = new TableRun(asking);
    run.settle('a1', { type: 'suspended', wait });
    run.ask({ type: 'pause' });
    run.ask({ type: 'resume', task: [], bodies: [], to: 'A' });
    expect([run.due, run.run.waiting]).toEqual([[], 1]);

    run.ask({ type: 'pause' });
    run.ask(answer);

    expect(run.ask(resumeWithTask)).toBe('RUN_NOT_LISTENING');
  });

  it('keeps the question of an agent that asks a person', () => {
    const run = new TableRun(fork);
    run.complete('a1', 0);
    run.settle('a2', { type: 'suspended', wait });
    run.ask(stop('drain'));

    expect(run.ask(resumeWithTask)).toBe('RUN_NOT_LISTENING');
  });

  it('refuses input that no node would receive, and is unchanged', () => {
    const run = new TableRun(vote);
    run.complete('a1');
    run.ask(stop('drain'));

    expect(run.ask(resumeWithTask)).toBe('RUN_NOT_LISTENING');
    expect(run.run.status).toBe('terminated');
  });

  it('is refused while the run is running or stopping, or has ended finally', () => {
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

  it('can be stopped and resumed in one commit', () => {
    const run = new TableRun(fork);

    const verdicts = run.tell({ type: 'pause' }, resume, stop('drain'), resume, { type: 'pause' }, resume);

    expect(verdicts.every(({ type }) => type === 'accepted')).toBe(true);
    expect(run.due).toEqual(['a1', 'a2']);
    expect(run.complete('a1', 0)).toBe('accepted');
  });
});

describe('a failed run', () => {
  it('has let executing activations finish, and parked the rest', () => {
    const run = new TableRun(fork);
    run.claim('a2');

    run.settle('a1', failed);
    expect(run.run.status).toBe('failing');
    run.complete('a2', 1);

    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'X', node: 'A' } });
  });

  it('continues with the failed activation when it is retried', () => {
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

  it('repeats the failed steps, and keeps the others', () => {
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
