import { describe, expect, it } from 'vitest';
import { failed, resume, TableRun, wait } from '../../../test-support/table-run.ts';
import type { ActivationId } from '../../model/ids.ts';
import type { FileChange } from '../../model/workspace.ts';
import { filesOf } from './files.ts';

/** Three that use files side by side, and one that does not, and one after all of them. */
const abreast = `graph:
  id: g
  start: [A, B, C, L]
  end: [D]
  nodes:
    - {id: A, type: python, config: {}}
    - {id: B, type: python, config: {}}
    - {id: C, type: python, config: {}}
    - {id: L, type: literal, config: {content: l}}
    - {id: D, type: python, config: {}}
  edges: [{from: A, to: D}, {from: B, to: D}, {from: C, to: D}, {from: L, to: D}]
`;

/** One that says a list, and one that uses files for each part of it. */
const mapped = (parallel: number) => `graph:
  id: g
  start: [A]
  end: [C]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - {id: B, type: python, config: {}}
    - {id: C, type: python, config: {}}
  edges:
    - {from: A, to: B, dynamic: {type: map, config: {split_type: lines, max_parallel: ${parallel}}}}
    - {from: B, to: C}
`;

const wrote = (path: string, text: string): FileChange => ({
  path,
  file: { digest: text, size: text.length, modifiedAt: 0 },
});

interface Work {
  readonly files?: readonly FileChange[];
  readonly edge?: number;
}

function settle(run: TableRun, activation: ActivationId, { files = [], edge }: Work) {
  const message = { role: 'assistant', source: 'X', body: 0 } as const;
  const routes = edge === undefined ? [] : [{ edge, output: 0, message }];
  return run.ask({
    type: 'settle',
    activation,
    token: run.tokenOf(activation),
    result: { type: 'completed', outputs: [message], routes },
    files,
    bodies: [{ role: 'assistant', content: 'done' }],
  });
}

const unit = { role: 'user', source: 'A', body: 0 } as const;
const split = (run: TableRun, activation: ActivationId, units: number) =>
  run.ask({
    type: 'settle',
    activation,
    token: run.tokenOf(activation),
    result: { type: 'split', statics: [], units: Array.from({ length: units }, () => unit) },
    bodies: [{ role: 'user', content: 'part' }],
  });

const texts = (run: TableRun, activation?: ActivationId) =>
  Object.fromEntries([...filesOf(run.state, 's0', activation)].map(([path, { digest }]) => [path, digest]));

describe('activations with one workspace', () => {
  it('execute one after the other, in the order in which they became ready; others are not held', () => {
    const run = new TableRun(abreast);
    expect(run.due).toEqual(['a1', 'a4']);

    settle(run, 'a1', { edge: 0 });
    expect(run.due).toEqual(['a2', 'a4']);
    settle(run, 'a2', { edge: 1 });
    expect(run.due).toEqual(['a3', 'a4']);
    settle(run, 'a3', { edge: 2 });
    run.complete('a4', 3);
    expect(run.due).toEqual(['a5']);
    expect(settle(run, 'a5', {})).toBe('accepted');
    expect(run.run.status).toBe('completed');
  });

  it('see the files of those before them, and none of an executing one', () => {
    const run = new TableRun(abreast);
    run.ask({
      type: 'step.start',
      activation: 'a1',
      token: run.tokenOf('a1'),
      step: 0,
      name: 'run',
      request: 'r',
    });
    run.ask({
      type: 'step.complete',
      activation: 'a1',
      token: run.tokenOf('a1'),
      step: 0,
      name: 'run',
      request: 'r',
      files: [wrote('x', 'one'), wrote('y', 'one')],
      bodies: [{ role: 'tool', content: '' }],
    });
    expect([texts(run), texts(run, 'a1')]).toEqual([{}, { x: 'one', y: 'one' }]);

    settle(run, 'a1', { files: [{ path: 'y' }], edge: 0 });
    expect(texts(run, 'a2')).toEqual({ x: 'one' });
  });

  it('release the lock while they wait for a person, and queue again with the answer', () => {
    const run = new TableRun(abreast);
    run.settle('a1', { type: 'suspended', wait });
    expect(run.due).toEqual(['a2', 'a4']);

    const answer = { role: 'user', source: 'H', body: 0 } as const;
    run.ask({ type: 'answer', activation: 'a1', answer, bodies: [{ role: 'user', content: 'yes' }] });
    expect(run.due).toEqual(['a2', 'a4']);
    settle(run, 'a2', { edge: 1 });
    expect(run.due).toEqual(['a3', 'a4']);
    settle(run, 'a3', { edge: 2 });
    expect(run.due).toEqual(['a1', 'a4']);
  });

  it('keep the lock when they fail, for the retry', () => {
    const run = new TableRun(abreast);
    run.complete('a4', 3);
    run.settle('a1', failed);
    expect([run.run.status, run.due]).toEqual(['failed', []]);

    run.ask(resume);
    expect(run.due).toEqual(['a1']);
    expect(run.ask({ type: 'claim', activation: 'a2', token: run.tokenOf('a2'), worker: 'w' })).toBe(
      'ACTIVATION_PARKED',
    );
    settle(run, 'a1', { edge: 0 });
    expect(run.due).toEqual(['a2']);
  });

  it('continue after a pause in which the lock became free', () => {
    const run = new TableRun(abreast);
    run.claim('a1');
    run.ask({ type: 'pause' });
    settle(run, 'a1', { edge: 0 });
    expect(run.due).toEqual([]);

    run.ask(resume);
    expect(run.due).toEqual(['a2', 'a4']);
  });
});

describe('units with files', () => {
  it('execute in parallel on files of their own, which are merged in the order of the units', () => {
    const run = new TableRun(mapped(2));
    run.complete('a1', 0);
    split(run, 'a2', 3);
    expect(run.due).toEqual(['a3', 'a4']);

    settle(run, 'a4', { files: [wrote('same', 'two'), wrote('b', 'two')], edge: 1 });
    expect(texts(run, 'a5')).toEqual({});
    settle(run, 'a5', { files: [wrote('c', 'three')], edge: 1 });
    settle(run, 'a3', { files: [wrote('same', 'one')], edge: 1 });
    expect(run.due).toEqual(['a6']);
    expect(texts(run, 'a6')).toEqual({ same: 'two', b: 'two', c: 'three' });
  });

  it('see the files of earlier units when they execute one by one', () => {
    const run = new TableRun(mapped(1));
    run.complete('a1', 0);
    split(run, 'a2', 2);
    settle(run, 'a3', { files: [wrote('same', 'one')], edge: 1 });

    expect(texts(run, 'a4')).toEqual({ same: 'one' });
  });
});

describe('the files of a workspace', () => {
  it('take one entry of the state each, however often they change', () => {
    const run = new TableRun(mapped(1));
    run.complete('a1', 0);
    split(run, 'a2', 2000);
    for (let n = 3; n < 2003; n++) settle(run, `a${n}`, { files: [wrote('same', `v${n}`)], edge: 1 });

    expect(texts(run)).toEqual({ same: 'v2002' });
    expect(run.state.list('files/s0').length).toBeLessThan(300);
    expect([...run.state.lists.keys()].filter((key) => key.startsWith('changes/'))).toEqual([]);
  });
});
