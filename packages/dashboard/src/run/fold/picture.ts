import type { Usage } from './usage.ts';
import { noUsage } from './usage.ts';

/** State of one activation that has not settled. */
export type LiveState = 'ready' | 'working' | 'waiting' | 'failed';

/** Tokens, and millionths of a US dollar. */
export interface Amount {
  readonly tokens: number;
  readonly microUsd: number;
}

/** Reason for which an activation waits. Times are milliseconds since 1970. */
export interface Wait {
  readonly type: 'person' | 'budget' | 'event' | 'time';
  readonly since: number;
  /** Time at which it continues in any case. */
  readonly until?: number | undefined;
  /** Name of the event. */
  readonly event?: string | undefined;
  /** The question. */
  readonly prompt?: string | undefined;
  /** A person decides on a larger budget; others wait for room in the current one. */
  readonly asks?: true | undefined;
}

/** An activation that has not settled. */
export interface LiveActivation {
  readonly scope: string;
  /** Key of its graph. */
  readonly graph: string;
  /** Index of its node in the graph. */
  readonly node: number;
  readonly part: string;
  readonly unit: number | undefined;
  state: LiveState;
  waitsFor: Wait | undefined;
  /** Reserved amounts by step. */
  readonly reserved: Map<number, Amount>;
}

/** One execution of a graph, a cycle or a fan-out. */
export interface Scope {
  readonly kind: 'graph' | 'cycle' | 'map' | 'tree';
  readonly graph: string;
  /** Scope that it belongs to; absent for the root graph. */
  readonly parent: string | undefined;
  /** Index of the node that opened it, for fan-outs and calls of subgraphs. */
  readonly node: number | undefined;
  /** Key of its cycle in {@link Picture.cycles}. */
  readonly cycle: string | undefined;
  readonly groupSize: number;
  /** Outputs of the present layer of a tree, which are the units of the next one. */
  outputs: number;
  /** Activations that are live in it. */
  readonly live: Set<string>;
  /** Scopes inside it. */
  readonly inner: Set<string>;
}

/** Numbers of the units of a node with a fan-out: of those that are open, or else of the last one. */
export interface Units {
  total: number;
  started: number;
  completed: number;
}

/** Everything that is known of one node, over all executions of its graph. */
export interface NodeFacts {
  /** Completed executions; a fan-out counts as one. */
  runs: number;
  /** Numbers of live activations by state. */
  readonly live: Record<LiveState, number>;
  microUsd: number;
  tokens: number;
  /** Edges that its last outputs went over; undefined before the first ones. */
  routes: readonly number[] | undefined;
  /** Value of a loop counter. */
  counter: number | undefined;
  /** State of a loop timer. */
  timer: { readonly startedAt: number; readonly emitted: boolean } | undefined;
  units: Units | undefined;
  /** Its fan-outs that are open. */
  openUnits: number;
  /** Calls of the graph inside it that are open. */
  openCalls: number;
  /** Number of its activations, and the newest one. */
  activations: number;
  newest: string | undefined;
  /** Beginning of its last output. */
  said: string | undefined;
  /** The error of the activation that failed last. */
  failure: Failure | undefined;
}

/** The error of an activation. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}

/** One cycle of a graph: of its executions, the newest. */
export interface CycleFacts {
  readonly graph: string;
  /** Indices of its nodes. */
  readonly members: readonly number[];
  readonly limit: number | null;
  turn: number;
  /** Its executions that have not ended. */
  open: number;
}

/** The budget of a run. */
export interface BudgetFacts {
  limit: Partial<Amount>;
  spent: Amount;
  reserved: Amount;
  lost: Amount;
}

/** Everything that the events of a run say up to one of them. */
export interface Picture {
  status: string;
  readonly scopes: Map<string, Scope>;
  readonly live: Map<string, LiveActivation>;
  /** By {@link placeOf}. */
  readonly nodes: Map<string, NodeFacts>;
  /** Number of messages that each edge has passed on, by {@link placeOf}. */
  readonly passes: Map<string, number>;
  /** By graph and members. */
  readonly cycles: Map<string, CycleFacts>;
  budget: BudgetFacts | undefined;
  usage: Usage;
  /** By the paths of nodes: the key of the graph and the id. */
  readonly usageByNode: Map<string, Usage>;
  activations: number;
  /** Time of the last event, in milliseconds since 1970. */
  at: number;
}

/** Returns the key of a node or an edge: that of its graph, and its index there. */
export const placeOf = (graph: string, index: number): string => `${graph}\n${index}`;

/** Returns the picture of a run without events. */
export const emptyPicture = (): Picture => ({
  status: 'running',
  scopes: new Map(),
  live: new Map(),
  nodes: new Map(),
  passes: new Map(),
  cycles: new Map(),
  budget: undefined,
  usage: noUsage,
  usageByNode: new Map(),
  activations: 0,
  at: 0,
});

/** Returns the facts of a node; creates them if there are none. */
export function factsOf(picture: Picture, place: string): NodeFacts {
  const known = picture.nodes.get(place);
  if (known !== undefined) return known;
  const facts: NodeFacts = {
    runs: 0,
    live: { ready: 0, working: 0, waiting: 0, failed: 0 },
    microUsd: 0,
    tokens: 0,
    routes: undefined,
    counter: undefined,
    timer: undefined,
    units: undefined,
    openUnits: 0,
    openCalls: 0,
    activations: 0,
    newest: undefined,
    said: undefined,
    failure: undefined,
  };
  picture.nodes.set(place, facts);
  return facts;
}

const attention = ['failed', 'waiting', 'working', 'ready'] as const;

/** State of a node, and how often it has completed. */
export interface NodePicture {
  readonly status: LiveState | 'idle' | 'done';
  readonly runs: number;
  readonly live: number;
}

/** Returns the status of a node; of several activations the one that needs attention first counts. */
export function stateOf({ nodes }: Picture, place: string): NodePicture {
  const facts = nodes.get(place);
  if (facts === undefined) return { status: 'idle', runs: 0, live: 0 };
  const { live, runs } = facts;
  const status = attention.find((state) => live[state] > 0) ?? (runs > 0 ? 'done' : 'idle');
  return { status, runs, live: live.ready + live.working + live.waiting + live.failed };
}

/** Returns the status of each node of a graph, by its index. */
export const nodesOf = (picture: Picture, graph: string, count: number): readonly NodePicture[] =>
  Array.from({ length: count }, (_, index) => stateOf(picture, placeOf(graph, index)));
