import { expect, it } from 'vitest';
import { Expectations } from '../files/expectations.ts';
import { checkGraph } from './check-graph.ts';
import type { Outcome } from './outcome.ts';

it.each([
  [{ edges: [{ from: 'A', to: 'B' }] }, '>=1 messages', '0 messages'],
  [{ nodes: { A: { input: { not_contains: 'x' } } } }, 'an input', 'no run'],
])('a part of the graph that was not reached does not pass: %j', async (expected, wanted, found) => {
  const outcome: Partial<Outcome> = { nodes: new Set(['A', 'B']), activations: [], passed: [], questions: [] };

  expect(await checkGraph(Expectations.parse(expected), outcome as Outcome)).toMatchObject([
    { expected: wanted, found },
  ]);
});
