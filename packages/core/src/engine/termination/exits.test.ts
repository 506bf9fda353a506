import { describe, expect, it } from 'vitest';
import { failed, resume, resumeWithTask, stop, TableRun, wait } from '../../../test-support/table-run.ts';

const inside = { role: 'user', source: 'S', body: 'm1' } as const;
const literal = (id: string) => `{id: ${id}, type: literal, config: {content: ${id}}}`;

/** A leads to B; P writes files, then L, when it is stopped. B, P and L have edges that only count when they are due by themselves. */
const document = `graph:
  id: g
  start: [A]
  end: [B]
  termination: {type: external, in_flight: {drain_seconds: 30}, exit_to: [P, L]}
  nodes: [${literal('A')}, ${literal('B')}, {id: P, type: python, config: {}}, ${literal('L')}, ${literal('N')}]
  edges: [{from: A, to: B}, {from: P, to: N}, {from: B, to: L}]
`;

/** A run in which P has begun: a1 is parked, a2 is the activation of P. */
function exiting(timeoutMs?: number): TableRun {
  const run = new TableRun(document, timeoutMs);
  run.ask(stop('drain'));
  return run;
}

describe('an exit node of a stopped run', () => {
  it('runs when no activation is executing, one after the other, and its edges are ignored', () => {
    const run = new TableRun(document);
    run.claim('a1');
    run.ask({ type: 'signal', name: 'enough' });
    expect([run.run.status, run.due]).toEqual(['stopping', ['a1', 'alarm/drain-s0--1']]);
    run.complete('a1', 0);

    expect([run.run.status, run.due]).toEqual(['stopping', ['a2']]);
    expect(run.state.get('activation/a2')).toMatchObject({ part: 'exit', node: 2, from: 'exits/s0' });
    expect(run.complete('a2', 1)).toBe('accepted');
    expect(run.due).toEqual(['a3']);
    run.complete('a3');

    expect(run.run).toMatchObject({ status: 'terminated', live: 0, stop: { text: 'enough' }, output: { id: 'm5' } });
    expect(run.due).toEqual([]);
  });

  it('receives the stop message, followed by the last messages', () => {
    const run = new TableRun(document);
    run.claim('a1');
    run.ask(stop('drain'));
    run.complete('a1', 0);

    expect(run.state.list('exits/s0')).toEqual([
      { id: 'm3', role: 'user', source: 'g' },
      { id: 'm2', role: 'user', source: 'X' },
    ]);
  });

  it('leaves parked activations parked, and runs again when the run stops again', () => {
    const run = exiting();
    const before = run.state.list('recent/s0/A');
    run.complete('a2');
    run.complete('a3');
    run.ask(resume);

    expect([run.run.status, run.due]).toEqual(['running', ['a1']]);
    expect(run.state.list('recent/s0/A')).toEqual(before);
    run.complete('a1', 0);
    run.ask(stop('drain'));
    expect(run.run.status).toBe('stopping');
    expect(run.due).toEqual(['a5']);
    run.complete('a5');
    run.complete('a6');
    run.ask(resume);
    run.complete('a4', 2);
    run.complete('a7');
    expect(run.run).toMatchObject({ status: 'completed', live: 0 });
  });

  it('can be postponed, and cannot wait for a person', () => {
    const run = exiting();
    expect(run.settle('a2', { type: 'postponed', until: 5000 })).toBe('accepted');
    expect([run.run.status, run.due]).toEqual(['stopping', ['a2']]);

    run.settle('a2', { type: 'suspended', wait });

    expect(run.run).toMatchObject({ status: 'stopping', error: { code: 'EXIT_WAITS', node: 'P' }, waiting: 0 });
    expect(run.due).toEqual(['a3']);
  });

  it('is reported when it fails, and the run is terminated nevertheless', () => {
    const run = exiting();
    run.settle('a2', failed);
    run.complete('a3');

    expect(run.run).toMatchObject({ status: 'terminated', error: { code: 'X', node: 'P' }, live: 1 });
    run.ask(resume);
    expect([run.run.status, run.due]).toEqual(['running', ['a1']]);
  });

  it('runs alone: the run accepts only commands that end it sooner', () => {
    const run = exiting();
    run.claim('a2');

    expect(run.ask(resume)).toBe('RUN_NOT_STOPPED');
    expect(run.ask(resumeWithTask)).toBe('RUN_NOT_STOPPED');
    expect(run.ask({ type: 'pause' })).toBe('RUN_NOT_ACTIVE');
    expect(run.ask({ type: 'signal', name: 'enough' })).toBe('RUN_NOT_ACTIVE');
    expect(run.claim('a1')).toBe('ACTIVATION_PARKED');
    run.ask(stop('drain'));
    expect(run.last).toEqual([]);
    run.ask(stop('cancel'));

    expect(run.run).toMatchObject({ status: 'terminated', live: 1 });
    expect(run.due).toEqual([]);
    run.ask(resume);
    expect(run.due).toEqual(['a1']);
  });

  it('also runs after a stop that cancels executing activations', () => {
    const run = new TableRun(document);
    run.claim('a1');
    run.ask(stop('cancel'));

    expect([run.run.status, run.due]).toEqual(['stopping', ['a2']]);
  });

  it('ends with the run when that is cancelled, or cannot continue', () => {
    const cancelled = exiting();
    cancelled.ask({ type: 'cancel', reason: 'over' });
    expect([cancelled.run.status, cancelled.due]).toEqual(['cancelled', []]);

    const lost = exiting();
    lost.ask({ type: 'fail', error: { code: 'INTERNAL', message: 'no' } });
    expect(lost.run).toMatchObject({ status: 'terminated', error: { code: 'INTERNAL' } });
    expect(lost.due).toEqual([]);
  });

  it('is skipped when the time limit of the run is over', () => {
    const run = exiting(5000);
    run.claim('a2');
    run.now = 6000;
    expect(run.due).toEqual(['a2', 'alarm/timeout']);

    expect(run.ring()).toBe('accepted');

    expect(run.run).toMatchObject({ status: 'terminated', error: { code: 'RUN_TIMEOUT' }, stop: { text: 'enough' } });
    expect(run.due).toEqual([]);
  });

  it('does not wait for the lock of files that a parked activation holds', () => {
    const writes = document.replaceAll('type: literal, config: {content: A}', 'type: python, config: {}');
    const run = new TableRun(writes);
    expect(run.state.get('lock/s0')).toBe('a1');
    run.ask(stop('drain'));

    expect(run.due).toEqual(['a2']);
    run.complete('a2');
    expect(run.state.get('lock/s0')).toBe('a1');
  });
});

describe('an exit node of a stopped subgraph call', () => {
  const calling = `graph:
  id: g
  start: [S]
  end: [O]
  nodes:
    - id: S
      type: subgraph
      config:
        type: config
        config:
          id: inner
          start: [A]
          end: [L]
          termination: {type: external, exit_to: [P, L]}
          nodes: [${literal('A')}, ${literal('B')}, {id: P, type: python, config: {}}, ${literal('L')}]
          edges: [{from: A, to: B}]
    - ${literal('O')}
  edges: [{from: S, to: O}]
`;
  const called = (): TableRun => {
    const run = new TableRun(calling);
    run.settle('a1', { type: 'called', task: [inside], presets: [] });
    run.ask({ type: 'signal', name: 'enough' });
    return run;
  };

  it('runs before the caller continues with the result', () => {
    const run = called();
    expect([run.run.status, run.due]).toEqual(['running', ['a3']]);
    run.complete('a3');
    run.complete('a4');

    expect(run.due).toEqual(['a5']);
    expect(run.state.get('activation/a5')).toMatchObject({ part: 'close', stop: { text: 'enough' } });
    expect(run.state.list('outputs/s1/').map(({ id }) => id)).toEqual(['m4']);
    expect([...run.state.keys('exits/')]).toEqual([]);
    run.complete('a5', 0);
    run.complete('a6');
    expect(run.run).toMatchObject({ status: 'completed', live: 0 });
  });

  it('is parked when the run is interrupted, and continues with it', () => {
    for (const hold of [{ type: 'pause' } as const, stop('drain'), stop('cancel')]) {
      const run = called();
      run.ask(hold);
      expect([run.run.status, run.due]).toEqual([hold.type === 'pause' ? 'paused' : 'terminated', []]);
      run.ask(resume);
      expect(run.due).toEqual(['a3']);
      run.complete('a3');
      expect(run.due).toEqual(['a4']);
    }
  });

  it('starts after executing activations have ended, whose failures are not retried', () => {
    const run = new TableRun(calling);
    run.settle('a1', { type: 'called', task: [inside], presets: [] });
    run.claim('a2');
    run.ask({ type: 'signal', name: 'enough' });
    expect(run.due).toEqual(['a2']);
    run.settle('a2', failed);
    expect(run.run.status).toBe('failed');
    run.ask({ type: 'retry' });

    expect(run.due).toEqual(['a3']);
    run.complete('a3');
    run.complete('a4');
    run.complete('a5', 0);
    run.complete('a6');
    expect(run.run).toMatchObject({ status: 'completed', live: 0 });
  });

  it('fails the run when it fails, and the run continues without it', () => {
    const run = called();
    run.settle('a3', failed);
    expect(run.run).toMatchObject({ status: 'failed', error: { code: 'X', node: 'P' } });
    run.ask({ type: 'retry' });

    expect(run.due).toEqual(['a4']);
    run.complete('a4');
    expect(run.due).toEqual(['a5']);
  });
});

describe('an activation that fails in a part of a run that is stopping', () => {
  it('fails the run, which continues after the subgraph call without it', () => {
    const run = new TableRun(`graph:
  id: g
  start: [S]
  end: [O]
  nodes:
    - {id: S, type: subgraph, config: {type: config, config: {id: i, termination: {type: external}, nodes: [${literal('A')}]}}}
    - ${literal('O')}
  edges: [{from: S, to: O}]
`);
    run.settle('a1', { type: 'called', task: [inside], presets: [] });
    run.claim('a2');
    run.ask({ type: 'signal', name: 'enough' });
    run.settle('a2', failed);
    expect(run.run.status).toBe('failed');
    run.ask({ type: 'retry' });
    expect(run.due).toEqual(['a3']);
    run.complete('a3', 0);
    run.complete('a4');

    expect(run.run).toMatchObject({ status: 'completed', live: 0 });
  });

  it('fails the run, which continues after the named scope without it', () => {
    const run = new TableRun(`graph:
  id: g
  start: [A]
  end: [O]
  scopes: [{id: x, nodes: [A], termination: {type: external, exit_to: [O]}}]
  nodes: [${literal('A')}, ${literal('O')}]
`);
    run.claim('a1');
    run.ask({ type: 'signal', name: 'enough' });
    run.settle('a1', failed);
    run.ask({ type: 'retry' });
    expect(run.due).toEqual(['a2']);
    run.complete('a2');

    expect(run.run).toMatchObject({ status: 'completed', live: 0 });
  });
});
