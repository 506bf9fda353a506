import type { RunGraphs } from '@millrace/client';

/** One graph of a run, from the server. */
export type RunGraph = RunGraphs['graphs'][number];
/** A node of a graph. */
export type RunNode = RunGraph['nodes'][number];
/** An edge of a graph. */
export type RunEdge = RunGraph['edges'][number];

/** Returns the key of a node or an edge of several graphs: that of its graph, and its index there. */
export const nodeKeyOf = (graph: string, index: number): string => `${graph}\n${index}`;
