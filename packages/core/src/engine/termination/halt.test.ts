import { expect, it } from 'vitest';
import { TableRun } from '../../../test-support/table-run.ts';

/** A, and for each part of what A says one call of a graph that a signal stops. */
const document = `graph:
  id: g
  start: [A]
  nodes:
    - {id: A, type: literal, config: {content: a}}
    - id: S
      type: subgraph
      config:
        type: config
        config:
          id: inner
          start: [X]
          termination: {type: external, in_flight: drain}
          nodes: [{id: X, type: literal, config: {content: x}}]
          edges: []
  edges:
    - {from: A, to: S, dynamic: {type: map, config: {split_type: lines, max_parallel: 1000}}}
`;

const units = 100;

/** Returns the live activations of a run. */
const liveOf = ({ state }: TableRun) =>
  [...state.keys('activation/')].map((key) => key.slice('activation/'.length) as `a${number}`);

it('ends hundreds of graphs that were stopped together, each when its activations have settled', () => {
  const run = new TableRun(document);
  run.complete('a1', 0);
  const message = { role: 'user', source: 'A', body: 0 } as const;
  run.settle('a2', { type: 'split', statics: [], units: Array.from({ length: units }, () => message) });
  const bodies = [{ role: 'user', content: 'task' }] as const;
  for (const activation of liveOf(run)) {
    const result = { type: 'called', task: [message], presets: [] } as const;
    run.ask({ type: 'settle', activation, token: run.tokenOf(activation), result, bodies });
  }
  const inner = liveOf(run);
  for (const activation of inner) run.claim(activation);

  // Looking through all of them for each of them in each commit took seconds a commit.
  const began = performance.now();
  expect(run.ask({ type: 'signal', name: 'enough' })).toBe('accepted');
  expect(run.run.halting).toHaveLength(units);
  for (const [at, activation] of inner.entries()) {
    expect(run.complete(activation)).toBe('accepted');
    expect(run.run.halting ?? []).toHaveLength(units - 1 - at);
  }
  expect(performance.now() - began).toBeLessThan(30_000);
  for (const activation of liveOf(run)) run.complete(activation);

  expect(run.run).toMatchObject({ status: 'completed', live: 0 });
  expect([...run.state.keys('termination/'), ...run.state.keys('scope/s1')]).toEqual([]);
});
