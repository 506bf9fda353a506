import type { ArchivedSegment } from '@millrace/core';
import type { GraphProjection } from '@millrace/core/projection';
import { beginRunProjection } from '@millrace/core/projection';
import { expect, it } from 'vitest';
import type { OpenRun } from '../commit/cached-run.ts';
import { skipToNode } from './skip-to-node.ts';

const activationsPerPart = 100;
const parts = Array.from(
  { length: 400 },
  (_, at): ArchivedSegment => ({
    to: 10 * (at + 1),
    digest: `part ${at}`,
    messages: 0,
    activations: activationsPerPart * (at + 1),
  }),
);
/** Activations of the node, by number; the last one is behind all archived parts. */
const wanted = [7, 12_345, 12_399, 39_000, 40_123];

const now = {
  plan: { graphs: new Map([['Inner', { key: 'Inner', nodes: [{ id: 'Other' }, { id: 'Rare' }] }]]) },
  state: { list: () => parts },
} as unknown as OpenRun; // what is looked at of a run

/** Counts the projections that are read. */
function source(latest = 40_500) {
  const count = { read: 0 };
  const projection = async (_run: string, event?: string) => {
    count.read += 1;
    const until = event === undefined ? latest : (Number.parseInt(event, 10) / 10) * activationsPerPart;
    const found = beginRunProjection();
    const last = wanted.findLast((number) => number <= until);
    const nodes = new Map(last === undefined ? [] : [[1, { last: `a${last}` }]]);
    found.graphs.set('Inner', { nodes } as unknown as GraphProjection); // what is looked at of a graph
    return found;
  };
  return { count, runs: { projection } };
}

it.each([
  [0, 0],
  [7, 12_300],
  [12_345, 12_345],
  [12_399, 38_900],
  [39_000, 40_000],
  [40_123, undefined],
])('finds the place of the next activation of a node behind a%d by reading few projections', async (after, place) => {
  const { count, runs } = source();

  expect(await skipToNode({ runs }, 'run_1', { node: 'Rare', graph: 'Inner', now, after })).toBe(place);
  expect(await skipToNode({ runs }, 'run_1', { node: 'Rare', now, after })).toBe(place);
  expect(count.read).toBeLessThanOrEqual(2 * 10);
});

it('finds nothing of a node that has not run, or that the graph does not have', async () => {
  const { count, runs } = source();

  expect(await skipToNode({ runs }, 'run_1', { node: 'Other', now, after: 0 })).toBeUndefined();
  expect(await skipToNode({ runs }, 'run_1', { node: 'Rare', graph: '', now, after: 0 })).toBeUndefined();
  expect(count.read).toBe(2);
});
