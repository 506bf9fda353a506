import type { NodeState } from '../definitions/define.ts';
import type { Budget } from '../model/budget.ts';
import type { QueueName } from '../model/ids.ts';
import type { Message } from '../model/message.ts';
import type { Prices } from '../model/price.ts';
import type { RateRule } from '../model/rate.ts';
import type { Dynamic, LogLevel, Use } from '../workflow/document/workflow.ts';
import type { PlanTermination } from './termination.ts';

/**
 * A workflow compiled for running. Nodes, edges and items are named by their index, so that everything the
 * engine stores about them is small. A plan is pure data of its workflow: the same document gives the same plan.
 */
export interface Plan {
  readonly compat: boolean;
  readonly script?: Readonly<Record<string, unknown>>;
  /** What a run may spend, unless it is started with another budget. */
  readonly budget?: Budget;
  readonly prices?: Prices;
  readonly rateLimits?: readonly RateRule[];
  /** Some of its nodes are for the workers of certain queues. */
  readonly routed?: true;
  /** By key: `''` for the root, `Sub` for the graph inside node `Sub`, `Sub/Inner` for the one inside that. */
  readonly graphs: ReadonlyMap<string, GraphPlan>;
}

export interface GraphPlan {
  readonly key: string;
  readonly id: string;
  /** What is told of it to people who follow a run: this and what weighs more. */
  readonly logLevel: LogLevel;
  readonly voting: boolean;
  readonly nodes: readonly PlanNode[];
  /** One per pair of nodes, in order of first appearance; then the exits of scopes. */
  readonly edges: readonly PlanEdge[];
  /** The graph with each cycle folded into one item; acyclic, in the order in which results are told apart. */
  readonly items: readonly Item[];
  /** Node index → index of its item. */
  readonly itemOf: readonly number[];
  readonly start: readonly number[];
  /** Where the final output may come from, best first: the `end` nodes, then the sinks. */
  readonly finals: readonly number[];
  /** Cap on the iterations of a cycle; null: none. */
  readonly maxIterations: number | null;
  /** The cap also holds for cycles that something else guards. */
  readonly capsGuarded: boolean;
  /** When an execution of the graph stops. */
  readonly termination?: PlanTermination;
  /** Named scopes, inner ones before those around them. */
  readonly scopes: readonly PlanScope[];
  /** By the name that the graph's nodes use. */
  readonly memory: ReadonlyMap<string, PlanStore>;
}

/** A part of a graph that stops on its own. */
export interface PlanScope {
  readonly id: string;
  /** Node indices. */
  readonly members: ReadonlySet<number>;
  readonly termination?: PlanTermination;
  /** Cap on the iterations of cycles in it; undefined: the graph's. */
  readonly maxIterations?: number | null;
}

/** A memory store of a graph. */
export interface PlanStore {
  readonly type: string;
  readonly config: unknown;
  /** Names the store across workflows and runs, or within its run or call. */
  readonly identity: string;
  /** Absent: `permanent`. */
  readonly lifetime?: 'run' | 'call';
}

export interface PlanNode {
  readonly index: number;
  readonly id: string;
  readonly type: string;
  readonly config: unknown;
  readonly contextWindow: number;
  /** Whether its outputs are shown to people who follow a run. */
  readonly logOutput: boolean;
  /** Edge indices in declaration order. */
  readonly out: readonly number[];
  readonly in: readonly number[];
  /** Key of the inner graph, for nodes that run one. */
  readonly graph?: string;
  /** Fan-out of this node's inputs, from the dynamic edges into it. */
  readonly fanOut?: FanOut;
  /** Its own state outlives the call of the graph that it is in. */
  readonly lasting?: true;
  /** Name of the hash its own state is kept in. */
  readonly state?: NodeState;
  readonly guard: boolean;
  readonly waits: boolean;
  /** It, or a processor of its edges, may use the files of the run. */
  readonly usesWorkspace: boolean;
  /** Its activations are turns. */
  readonly speaks: boolean;
  /** What it gives on has been said by others. */
  readonly forwards?: true;
  readonly onError: 'fail' | 'text' | 'continue';
  /** How long one attempt at it may take. */
  readonly timeoutSeconds?: number;
  /** Whose workers are woken; absent: those of the default queue. */
  readonly queue?: QueueName;
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/** How a node's inputs become units. `conflict` says why its dynamic edges cannot be reconciled. */
export interface FanOut extends Dynamic {
  readonly conflict?: string;
}

export interface PlanEdge {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly trigger: boolean;
  readonly condition: Use | null;
  /** It is there for the failure of its source, and for nothing else. */
  readonly onError: boolean;
  readonly carryData: boolean;
  readonly keepMessage: boolean;
  readonly clearContext: boolean;
  readonly clearKeptContext: boolean;
  readonly processor: Use | null;
  readonly dynamic: boolean;
  /** No message takes it: it leads from a node of a named scope to one that comes after the scope has stopped. */
  readonly exit?: true;
}

/** A plain node or a whole cycle: what the acyclic part of a run schedules. */
export interface Item {
  readonly index: number;
  /** The nodes in it, ascending; one for a plain node. */
  readonly members: readonly number[];
  readonly cycle: boolean;
  /** The start node inside the cycle, if there is one. */
  readonly entry?: number;
  /** How many distinct items must settle before this one is due. */
  readonly predecessors: number;
  readonly successors: readonly number[];
}
