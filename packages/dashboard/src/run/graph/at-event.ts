import type { Picture } from '../fold/picture.ts';
import { nodesOf, placeOf } from '../fold/picture.ts';
import type { RunGraph } from './layout.ts';

/** A graph with what its journal tells beside the state of its nodes. */
export type PicturedGraph = Omit<RunGraph, 'edges' | 'nodes'> & {
  readonly nodes: readonly PicturedNode[];
  readonly edges: readonly (RunGraph['edges'][number] & { readonly passed?: number })[];
};

/** A node with its costs in millionths of a US dollar. */
export type PicturedNode = RunGraph['nodes'][number] & { readonly microUsd?: number };

/** Adds what a picture tells to a graph; its states replace those of the server when it shows the past. */
export function atEvent(graph: RunGraph, picture: Picture, isPast: boolean): PicturedGraph {
  const states = isPast ? nodesOf(picture, graph.key, graph.nodes.length) : undefined;
  const fanOuts = [...picture.scopes.values()].filter((scope) => scope.graph === graph.key && scope.units > 0);
  return {
    ...graph,
    nodes: graph.nodes.map((node, index) => {
      const microUsd = picture.microUsd.get(placeOf(graph.key, index)) ?? 0;
      const open = fanOuts.filter((scope) => scope.node === index);
      const units = {
        total: sum(open.map((scope) => scope.units)),
        completed: sum(open.map((scope) => scope.settledUnits)),
        failed: 0,
        live: 0,
      };
      return {
        ...node,
        ...states?.[index],
        ...(microUsd === 0 ? {} : { microUsd }),
        ...(units.total === 0 ? {} : { units }),
      };
    }),
    edges: graph.edges.map((edge, index) => ({
      ...edge,
      passed: picture.passes.get(placeOf(graph.key, index)) ?? 0,
    })),
  };
}

const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
