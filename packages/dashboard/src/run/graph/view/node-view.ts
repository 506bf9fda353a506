import type { FailureProjection, NodeReader, ProjectedWait, RunProjection } from '@millrace/core/projection';
import { tokensOf } from '@millrace/core/usage';
import { stateAtEnd } from '../../../activations/has-ended.ts';
import type { RunGraph, RunNode } from './run-graph.ts';
import { nodeKeyOf } from './run-graph.ts';

/** A node with everything that its picture shows. */
export interface NodeView extends Omit<RunNode, 'usage' | 'waitsFor' | 'status'> {
  readonly status: RunNode['status'] | 'cancelled';
  /** Key of its graph. */
  readonly key: string;
  /** Key in the picture of several graphs. */
  readonly place: string;
  /** Absent: it made no call of a model, or none with a known price. */
  readonly microUsd?: number;
  readonly tokens: number;
  /** Iteration of the innermost loop that it is part of. */
  readonly iteration?: number;
  readonly waitsFor?: RunNode['waitsFor'] | ProjectedWait;
  /** Beginning of its last output. */
  readonly outputText?: string;
  /** The error of its failed activation. */
  readonly failure?: FailureProjection;
}

/** Returns a node of a run that has ended: nothing executes or waits any more. */
export function nodeAtEnd(node: NodeView): NodeView {
  const { waitsFor: _over, units, ...rest } = node;
  const status = stateAtEnd(node.status);
  return {
    ...rest,
    ...(units === undefined ? {} : { units: { ...units, live: 0 } }),
    status,
    live: status === 'cancelled' ? 0 : node.live,
  };
}

/** A projection, and the reader of its nodes. */
export interface ReadProjection {
  readonly projection: RunProjection;
  readonly read: NodeReader;
}

/** Returns the nodes of a graph as of a projection; without one, as of the server's response. */
export function nodeViewsOf(graph: RunGraph, shown: ReadProjection | undefined): readonly NodeView[] {
  const { key } = graph;
  if (shown === undefined)
    return graph.nodes.map(({ usage, ...node }, index) => ({
      ...node,
      ...moneyOf(usage),
      key,
      place: nodeKeyOf(key, index),
    }));
  const iterations = iterationsByNode(key, shown.projection);
  return graph.nodes.map((node, index) => {
    const iteration = iterations.get(index);
    return {
      ...projected(node, index, { ...shown, key }),
      key,
      place: nodeKeyOf(key, index),
      ...(iteration === undefined ? {} : { iteration }),
    };
  });
}

const moneyOf = (usage: RunNode['usage']) => ({
  ...(usage?.microUsd === undefined ? {} : { microUsd: usage.microUsd }),
  tokens: tokensOf(usage),
});

function projected(node: RunNode, index: number, { projection, read, key }: ReadProjection & { readonly key: string }) {
  const { usage: _usage, waitsFor: _wait, units: _units, last: _last, counter, timer, ...traits } = node;
  const known = projection.graphs.get(key)?.nodes.get(index);
  const state = read(key, index, node.graph);
  return {
    ...traits,
    ...state,
    ...moneyOf(known?.usage),
    ...(known?.outputText === undefined ? {} : { outputText: known.outputText }),
    ...(known?.failure === undefined || state.status !== 'failed' ? {} : { failure: known.failure }),
    ...(counter === undefined ? {} : { counter: { ...counter, value: known?.counter ?? 0 } }),
    ...(timer === undefined ? {} : { timer: { limitMs: timer.limitMs, emitted: false, ...known?.timer } }),
  };
}

/** Returns the iteration of the innermost loop of each node that is part of one. */
function iterationsByNode(graph: string, { graphs }: RunProjection): ReadonlyMap<number, number> {
  const iterations = new Map<number, number>();
  // Inner loops have fewer nodes: they come last and win.
  const cycles = (graphs.get(graph)?.cycles ?? []).toSorted((one, other) => other.members.length - one.members.length);
  for (const { members, iteration } of cycles) for (const member of members) iterations.set(member, iteration);
  return iterations;
}
