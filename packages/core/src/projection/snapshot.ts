import type { GraphProjection, RunProjection } from './run-projection.ts';

/** A projection as plain data. */
export type ProjectionSnapshot = Omit<RunProjection, 'graphs' | 'scopes' | 'live'> & {
  readonly graphs: readonly (readonly [string, GraphSnapshot])[];
  readonly scopes: readonly Entry<RunProjection['scopes']>[];
  readonly live: readonly Entry<RunProjection['live']>[];
};

type GraphSnapshot = Omit<GraphProjection, 'nodes' | 'passed'> & {
  readonly nodes: readonly Entry<GraphProjection['nodes']>[];
  readonly passed: readonly Entry<GraphProjection['passed']>[];
};

type Entry<M> = M extends Map<infer K, infer V> ? readonly [K, V] : never;

/** Returns a projection as data that later events do not change and that JSON can hold. */
export const snapshotOf = (projection: RunProjection): ProjectionSnapshot =>
  structuredClone({
    ...projection,
    graphs: [...projection.graphs].map(([key, graph]): [string, GraphSnapshot] => [
      key,
      { ...graph, nodes: [...graph.nodes], passed: [...graph.passed] },
    ]),
    scopes: [...projection.scopes],
    live: [...projection.live],
  });

/** Returns a projection that continues from a snapshot, which stays as it is. */
export function restoreProjection(snapshot: ProjectionSnapshot): RunProjection {
  const { graphs, scopes, live, ...rest } = structuredClone(snapshot);
  return {
    ...rest,
    graphs: new Map(
      graphs.map(([key, { nodes, passed, ...graph }]) => [
        key,
        { ...graph, nodes: new Map(nodes), passed: new Map(passed) },
      ]),
    ),
    scopes: new Map(scopes),
    live: new Map(live),
  };
}
