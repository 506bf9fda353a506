import type { AwaitedEvents, LoopLimit, NodeState } from '../definitions/define.ts';
import type { ToolRule } from '../definitions/tool-policy.ts';
import type { QueueName } from '../model/ids.ts';
import type { Message } from '../model/messages/message.ts';
import type { Budget } from '../model/usage/budget.ts';
import type { Prices } from '../model/usage/price.ts';
import type { RateRule } from '../model/usage/rate.ts';
import type { Dynamic, LogLevel, Use } from '../workflow/document/workflow.ts';
import type { PlanTermination } from './termination.ts';

/**
 * A workflow compiled for running. Nodes, edges and items are named by their index, so that everything the
 * engine stores about them is small. A plan is pure data of its workflow: the same document gives the same plan.
 */
export interface Plan {
  readonly compat: boolean;
  readonly script?: Readonly<Record<string, unknown>>;
  /** Budget of a run that is started without one. */
  readonly budget?: Budget;
  readonly prices?: Prices;
  readonly rateLimits?: readonly RateRule[];
  /** Requests to models are not stored in the journals of its runs. */
  readonly recordRequests?: false;
  /** Some of its nodes have a queue. */
  readonly routed?: true;
  /** Graphs by key: `''` for the root, `Sub` for the graph inside node `Sub`, `Sub/Inner` for the one inside that. */
  readonly graphs: ReadonlyMap<string, GraphPlan>;
}

export interface GraphPlan {
  readonly key: string;
  readonly id: string;
  /** Lowest level of the log entries that people who follow a run see. */
  readonly logLevel: LogLevel;
  readonly voting: boolean;
  readonly nodes: readonly PlanNode[];
  /** One per pair of nodes, in order of first appearance; then the exits of scopes. */
  readonly edges: readonly PlanEdge[];
  /** The graph with each cycle folded into one item; acyclic, in the order in which results are applied. */
  readonly items: readonly Item[];
  /** Node index → index of its item. */
  readonly itemOf: readonly number[];
  readonly start: readonly number[];
  /** Nodes that may give the final output, in order of preference: the `end` nodes, then the sinks. */
  readonly finals: readonly number[];
  /** Iteration limit of a cycle; null: none. */
  readonly maxIterations: number | null;
  /** The iteration limit also applies to cycles that something else ends. */
  readonly capsGuarded: boolean;
  /** Policies for calls of its tools: those of the graphs around it, and its own. Absent: none. */
  readonly toolPolicies?: readonly (readonly ToolRule[])[];
  /** Termination of each execution of the graph. */
  readonly termination?: PlanTermination;
  /** Named scopes, inner ones before outer ones. */
  readonly scopes: readonly PlanScope[];
  /** Memory stores by the name that the graph's nodes use. */
  readonly memory: ReadonlyMap<string, PlanStore>;
}

/** A part of a graph that stops on its own. */
export interface PlanScope {
  readonly id: string;
  /** Node indices. */
  readonly members: ReadonlySet<number>;
  readonly termination?: PlanTermination;
  /** Iteration limit of cycles in it; undefined: the graph's. */
  readonly maxIterations?: number | null;
}

/** A memory store of a graph. */
export interface PlanStore {
  readonly type: string;
  readonly config: unknown;
  /** Identity of the store across workflows and runs, or within its run or call. */
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
  /** Its outputs are shown to people who follow a run. */
  readonly logOutput: boolean;
  /** Edge indices in declaration order. */
  readonly out: readonly number[];
  readonly in: readonly number[];
  /** Key of the inner graph, for nodes that run one. */
  readonly graph?: string;
  /** Fan-out of this node's inputs, from the dynamic edges into it. */
  readonly fanOut?: FanOut;
  /** Its state persists over calls of its graph. */
  readonly lasting?: true;
  /** Kind of the records of its state. */
  readonly state?: NodeState;
  readonly guard: boolean;
  readonly waits: boolean;
  /** It, or a processor of its edges, may use the files of the run. */
  readonly usesWorkspace: boolean;
  /** Its activations count as turns. */
  readonly speaks: boolean;
  /** It forwards messages of other nodes. */
  readonly forwards?: true;
  /** The data of its outputs, in a few words. */
  readonly dataText?: string;
  /** The events from outside that it waits for. */
  readonly awaits?: AwaitedEvents;
  /** The limit of a loop guard. */
  readonly limit?: LoopLimit;
  readonly onError: 'fail' | 'text' | 'continue';
  /** Time limit of one attempt, in seconds. */
  readonly timeoutSeconds?: number;
  /** The queue whose workers are woken; absent: the default queue. */
  readonly queue?: QueueName;
  readonly input: readonly Message[];
  readonly output: readonly Message[];
}

/** Fan-out of a node's inputs. `conflict`: the reason for which its dynamic edges cannot be combined. */
export interface FanOut extends Dynamic {
  readonly conflict?: string;
}

export interface PlanEdge {
  readonly index: number;
  readonly from: number;
  readonly to: number;
  readonly trigger: boolean;
  readonly condition: Use | null;
  /** The condition in words; absent without one. */
  readonly conditionText?: string;
  /** Only failures of its source pass. */
  readonly onError: boolean;
  readonly carryData: boolean;
  readonly keepMessage: boolean;
  readonly clearContext: boolean;
  readonly clearKeptContext: boolean;
  readonly processor: Use | null;
  readonly dynamic: boolean;
  /** No message passes it: it leads from a node of a named scope to a node that comes after the scope. */
  readonly exit?: true;
}

/** A node or a whole cycle: the unit of scheduling outside of cycles. */
export interface Item {
  readonly index: number;
  /** Nodes of the item, ascending; one if it is not a cycle. */
  readonly members: readonly number[];
  readonly cycle: boolean;
  /** The start node inside the cycle, if there is one. */
  readonly entry?: number;
  /** Number of distinct items that must settle before this one is due. */
  readonly predecessors: number;
  readonly successors: readonly number[];
}
