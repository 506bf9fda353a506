import type { Amount } from '../model/usage/budget.ts';
import type { ModelUsage } from '../model/usage/usage.ts';
import { noModelUsage } from '../model/usage/usage.ts';
import type { DensityProjection } from './project-density.ts';
import { beginDensity } from './project-density.ts';

/*
 * A run as people see it at one of its events: a second fold of the journal, beside `evolve`, for the server, the page of
 * a run and other programs. It keeps what the engine forgets, such as how often a node of a subgraph has run when the
 * subgraph's call is over, and its size is bounded by the graphs and the live activations, never by the history. Its
 * snapshot is plain data that can be stored and continued later. It needs no plan: graphs are named by their keys, nodes
 * and edges by their numbers. What only published events have, such as beginnings of texts, it has only of those.
 */

/** A run as of one of its events. */
export interface RunProjection {
  /** Id of the last event that it covers; `0` before the first. */
  event: string;
  /** Time of that event, in milliseconds since 1970. */
  at: number;
  status: 'running' | 'paused' | 'stopping' | 'failing' | 'completed' | 'failed' | 'cancelled' | 'terminated';
  activations: number;
  usage: ModelUsage;
  /** null without one. */
  budget: BudgetProjection | null;
  /** Activity over the whole journal. */
  density: DensityProjection;
  /** Graphs by their keys; only those that were entered. */
  readonly graphs: Map<string, GraphProjection>;
  /** Executions of graphs, cycles and fan-outs that are not over, by their scopes. */
  readonly scopes: Map<string, ScopeProjection>;
  /** Activations that have not settled, by their ids. */
  readonly live: Map<string, LiveProjection>;
  /** Exit nodes of stopped graphs that have failed, the newest 100: their failure settles them. */
  exitFailures: readonly string[];
}

/** Budget of a run: its limits, what is spent, and what is reserved for calls in progress. */
export interface BudgetProjection {
  readonly limit: BudgetLimit;
  readonly spent: Amount;
  readonly reserved: Amount;
  /** Part of `spent`: reserves of calls whose outcome will never be known. */
  readonly lost: Amount;
}

/** Limits of a run; absent ones are none. */
export interface BudgetLimit {
  readonly tokens?: number | undefined;
  readonly microUsd?: number | undefined;
  readonly ask?: true | undefined;
}

/** One graph over all of its executions. */
export interface GraphProjection {
  /** Nodes that have been due, by their numbers. */
  readonly nodes: Map<number, NodeProjection>;
  /** Number of messages that each edge has passed on, by the numbers of edges. */
  readonly passed: Map<number, number>;
  /** Cycles that were entered, in the order of their first entry. */
  readonly cycles: CycleProjection[];
}

/** One node over all executions of its graph. */
export interface NodeProjection {
  /** Its id, from published events. */
  id?: string;
  /** Number of completions; a fan-out counts as one. */
  runs: number;
  /** Number of its activations. */
  activations: number;
  /** The latest activation that became ready. */
  last?: string;
  /** Edges that the last completion passed a message to. */
  passed?: readonly number[];
  usage: ModelUsage;
  /** Value of a loop counter, as it was last set. */
  counter?: number;
  /** State of a loop timer, as it was last set. */
  timer?: { readonly startedAt: number; readonly emitted: boolean };
  /** The fan-outs of the node that are in progress, or else the last one. */
  units?: UnitsProjection;
  /** Beginning of its last output, from published events. */
  outputText?: string;
  /** The error of the activation that failed last, from published events. */
  failure?: FailureProjection;
}

/** The error of an activation: its code, and the beginning of its message. */
export interface FailureProjection {
  readonly code: string;
  readonly message: string;
}

/** Units of fan-outs of one node. */
export interface UnitsProjection {
  total: number;
  started: number;
  completed: number;
  /** Fan-outs that these units belong to and that are in progress. */
  open: number;
}

/** One cycle over all of its executions. */
export interface CycleProjection {
  /** Its nodes, ascending. */
  readonly members: readonly number[];
  /** Number of the iteration, from 1, of its latest execution. */
  iteration: number;
  /** Maximum number of iterations; null for none. */
  limit: number | null;
  /** Number of its executions that are in progress. */
  open: number;
}

/** An execution of a graph, a cycle or a fan-out. */
export type ScopeProjection =
  | {
      readonly type: 'graph';
      readonly graph: string;
      readonly parent?: string | undefined;
      readonly node?: number | undefined;
    }
  | {
      readonly type: 'cycle';
      readonly graph: string;
      readonly parent: string;
      readonly cycle: number;
      iteration: number;
    }
  | {
      readonly type: 'map' | 'tree';
      readonly graph: string;
      readonly parent: string;
      readonly node: number;
      readonly groupSize: number;
      /** Number of outputs of the current layer of a tree: the inputs of its next layer. */
      outputs: number;
    };

/** An activation that has not settled. */
export interface LiveProjection {
  readonly scope: string;
  readonly graph: string;
  readonly node: number;
  /** Part of the work of its node; `unit`: one unit of a fan-out, `exit`: it is an exit node of a stopped graph. */
  readonly part: string;
  readonly unit?: number | undefined;
  readonly readyAt: number;
  state: LiveState;
  /** Time since which a worker executes it. */
  startedAt?: number | undefined;
  /** Reason why it waits, and since when. */
  waitsFor?: ProjectedWait | undefined;
  /** Amounts reserved for its calls in progress, in runs with a budget. */
  reserved?: readonly { readonly step: number; readonly amount: Amount }[] | undefined;
}

/** State of an activation that has not settled; `waiting` includes those that are postponed or short of budget. */
export type LiveState = 'ready' | 'working' | 'waiting' | 'failed';

/** Reason for which an activation waits. `prompt`: the beginning of its question, from published events. */
export type ProjectedWait =
  | { readonly type: 'person'; readonly since: number; readonly prompt?: string }
  /** `asks`: it asks a person for a larger budget; others wait for room in the present one. */
  | { readonly type: 'budget'; readonly since: number; readonly asks?: true | undefined; readonly prompt?: string }
  | { readonly type: 'event'; readonly since: number; readonly event: string; readonly until?: number | undefined }
  | { readonly type: 'time'; readonly since: number; readonly until: number };

/** Returns the projection of a run without events. */
export const beginRunProjection = (): RunProjection => ({
  event: '0',
  at: 0,
  status: 'running',
  activations: 0,
  usage: noModelUsage,
  budget: null,
  density: beginDensity(),
  graphs: new Map(),
  scopes: new Map(),
  live: new Map(),
  exitFailures: [],
});

/** Returns a graph of a projection, which is added if it is missing. */
export function graphIn({ graphs }: RunProjection, key: string): GraphProjection {
  const known = graphs.get(key);
  if (known !== undefined) return known;
  const graph: GraphProjection = { nodes: new Map(), passed: new Map(), cycles: [] };
  graphs.set(key, graph);
  return graph;
}

/** Returns a node of a projection, which is added if it is missing. */
export function nodeIn(projection: RunProjection, graph: string, index: number): NodeProjection {
  const { nodes } = graphIn(projection, graph);
  const known = nodes.get(index);
  if (known !== undefined) return known;
  const node: NodeProjection = { runs: 0, activations: 0, usage: noModelUsage };
  nodes.set(index, node);
  return node;
}

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

/** Returns a snapshot as it would be had all events happened at this time. */
export const snapshotAt = ({ density, live, ...rest }: ProjectionSnapshot, at: number): ProjectionSnapshot => ({
  ...rest,
  at,
  density: { ...density, from: density.from.map(() => at) },
  live: live.map(([id, { startedAt, waitsFor, ...one }]) => [
    id,
    {
      ...one,
      readyAt: at,
      ...(startedAt === undefined ? {} : { startedAt: at }),
      ...(waitsFor === undefined ? {} : { waitsFor: { ...waitsFor, since: at } }),
    },
  ]),
});
