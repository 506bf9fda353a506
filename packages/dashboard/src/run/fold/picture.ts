/** State of one activation that has not settled. */
export type LiveState = 'ready' | 'working' | 'waiting' | 'failed';

/** An activation that has not settled. */
export interface LiveActivation {
  readonly scope: string;
  /** Key of its graph. */
  readonly graph: string;
  /** Index of its node in the graph. */
  readonly node: number;
  readonly part: string;
  state: LiveState;
}

/** One execution of a graph, a cycle or a fan-out. */
export interface Scope {
  readonly kind: 'graph' | 'cycle' | 'map' | 'tree';
  readonly graph: string;
  /** Scope that it belongs to; absent for the root graph. */
  readonly parent: string | undefined;
  /** Index of the node that it belongs to, for fan-outs. */
  readonly node: number | undefined;
  /** Iteration of a cycle, from 1. */
  turn: number;
  /** Units of a fan-out. */
  readonly units: number;
  settledUnits: number;
}

/** Everything that the events of a run say up to one of them. */
export interface Picture {
  status: string;
  readonly scopes: Map<string, Scope>;
  readonly live: Map<string, LiveActivation>;
  /** Ids of all activations of each node in their order, by {@link placeOf}. */
  readonly history: Map<string, string[]>;
  /** Number of completions of each node, by {@link placeOf}. */
  readonly runs: Map<string, number>;
  /** Number of messages that each edge has passed on, by {@link placeOf}. */
  readonly passes: Map<string, number>;
  /** Millionths of a US dollar by node, by {@link placeOf}. */
  readonly microUsd: Map<string, number>;
  totalMicroUsd: number;
  tokens: number;
  activations: number;
}

/** Returns the key of a node or an edge: that of its graph, and its index there. */
export const placeOf = (graph: string, index: number): string => `${graph}\n${index}`;

/** Returns the picture of a run without events. */
export const emptyPicture = (): Picture => ({
  status: 'running',
  scopes: new Map(),
  live: new Map(),
  history: new Map(),
  runs: new Map(),
  passes: new Map(),
  microUsd: new Map(),
  totalMicroUsd: 0,
  tokens: 0,
  activations: 0,
});

const attention: readonly LiveState[] = ['failed', 'waiting', 'working', 'ready'];

/** State of a node, and how often it has completed. */
export interface NodePicture {
  readonly status: LiveState | 'idle' | 'done';
  readonly runs: number;
  readonly live: number;
}

/** Returns how each node of a graph stands, by its index; of several activations the one that needs attention first counts. */
export function nodesOf(picture: Picture, graph: string, count: number): readonly NodePicture[] {
  const states = Array.from({ length: count }, (): LiveState[] => []);
  for (const one of picture.live.values()) if (one.graph === graph) states[one.node]?.push(one.state);
  return states.map((live, index) => {
    const runs = picture.runs.get(placeOf(graph, index)) ?? 0;
    const status = attention.find((state) => live.includes(state)) ?? (runs > 0 ? 'done' : 'idle');
    return { status, runs, live: live.length };
  });
}
