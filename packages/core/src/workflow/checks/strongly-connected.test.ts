import { describe, expect, it } from 'vitest';
import { stronglyConnected } from './strongly-connected.ts';

const components = (graph: readonly (readonly number[])[]) =>
  stronglyConnected(graph.length, (node) => graph[node] ?? []);

describe('stronglyConnected', () => {
  it('makes every node of an acyclic graph its own component, last ones first', () => {
    expect(components([[1], [2], []])).toEqual([[2], [1], [0]]);
  });

  it('joins the nodes of a cycle in ascending order, whatever the order of the search', () => {
    expect(components([[3], [0], [1, 4], [2], []])).toEqual([[4], [0, 1, 2, 3]]);
  });

  it('joins two cycles that share a node, and keeps others separate', () => {
    expect(components([[1], [0, 2], [1, 3], [4], [3]])).toEqual([
      [3, 4],
      [0, 1, 2],
    ]);
  });

  it('treats a self-link as a component of one', () => {
    expect(components([[0]])).toEqual([[0]]);
  });

  it('returns no component for no nodes', () => {
    expect(components([])).toEqual([]);
  });

  it('survives a chain of 100,000 nodes that closes into a ring', () => {
    const size = 100_000;
    const ring = stronglyConnected(size, (node) => [(node + 1) % size]);
    expect(ring).toHaveLength(1);
    expect(ring[0]).toHaveLength(size);
  });
});
