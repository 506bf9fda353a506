import type { ToolRule } from '../../definitions/tool-policy.ts';
import type { QueueName } from '../../model/ids.ts';
import type { Message } from '../../model/messages/message.ts';
import type { Budget } from '../../model/usage/budget.ts';
import type { Prices } from '../../model/usage/price.ts';
import type { RateRule } from '../../model/usage/rate.ts';

/** A validated workflow document in canonical form: plain JSON, variables resolved, subgraph files loaded. */
export interface Workflow {
  readonly version: string;
  /** `chatdev` restores the behaviour of the original engine where this one deliberately differs. */
  readonly compat?: 'chatdev';
  readonly graph: Graph;
  /** Replaces the provider of every agent of the run: the `params` of the provider `scripted`. */
  readonly script?: Readonly<Record<string, unknown>>;
}

export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export interface Graph {
  readonly id: string;
  readonly description?: string;
  readonly logLevel: LogLevel;
  /** All nodes run once on the task, and the most frequent answer wins. */
  readonly voting: boolean;
  /** Ids of the nodes that get the task; never empty, except when voting. */
  readonly start: readonly string[];
  /** Ids of the nodes that may give the final output, in order of preference; may be empty. */
  readonly end: readonly string[];
  /** Limit of the iterations of every cycle that nothing else ends; default 100. */
  readonly maxIterations?: number | 'unlimited';
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly memory: readonly MemoryStore[];
  /** Budget, prices and rate limits apply in the outermost graph only. */
  readonly budget?: Budget;
  readonly prices?: Prices;
  readonly rateLimits?: readonly RateRule[];
  /** Title of its runs, a template over the task; in the outermost graph only. */
  readonly title?: string;
  /** Requests to models are not stored in journals; in the outermost graph only. */
  readonly recordRequests?: false;
  /** Policy for calls of tools in the graph and in the graphs inside it. */
  readonly toolPolicy?: readonly ToolRule[];
  /** Termination of each execution of the graph. */
  readonly termination?: Termination;
  readonly scopes?: readonly NamedScope[];
  /** Queue of the nodes that name none; absent: the default queue. */
  readonly queue?: QueueName;
  readonly organization?: string;
  readonly initialInstruction?: string;
}

export interface Node {
  readonly id: string;
  readonly type: string;
  readonly description?: string;
  /** 0: keep nothing but kept messages; -1: keep everything; N: keep the newest N. */
  readonly contextWindow: number;
  readonly logOutput: boolean;
  /** Configuration as parsed by the node type's schema. For `subgraph`: `{}`, the graph is in `graph`. */
  readonly config: unknown;
  /** The inner graph of a `subgraph` node. */
  readonly graph?: Graph;
  /** Termination of calls of the inner graph, besides the graph's own. */
  readonly termination?: Termination;
  /** Messages that wait at the node before the run starts. */
  readonly input: readonly Message[];
  /** Messages that count as produced before the run starts. */
  readonly output: readonly Message[];
  /** Effect of a failure of this node; default `fail`. */
  readonly onError?: 'fail' | 'text' | 'continue';
  /** The state of the node persists over calls of its graph. */
  readonly lasting?: true;
  /** Time limit of one attempt. */
  readonly timeoutSeconds?: number;
  /** Queue of the node; absent: the queue of its graph. */
  readonly queue?: QueueName;
}

/** A definition of the catalogue, by its type, with its configuration. */
export interface Use {
  readonly type: string;
  readonly config: unknown;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** A message over this edge makes the target due. */
  readonly trigger: boolean;
  /** null: always traversed. */
  readonly condition: Use | null;
  readonly carryData: boolean;
  readonly keepMessage: boolean;
  readonly clearContext: boolean;
  readonly clearKeptContext: boolean;
  readonly processor: Use | null;
  readonly dynamic: Dynamic | null;
}

/** The fields of an edge that only names its ends. */
export const plainEdge = {
  trigger: true,
  condition: null,
  carryData: true,
  keepMessage: false,
  clearContext: false,
  clearKeptContext: false,
  processor: null,
  dynamic: null,
} as const satisfies Omit<Edge, 'from' | 'to'>;

/** Fan-out of the target of an edge over the messages of the edge. */
export interface Dynamic {
  readonly type: 'map' | 'tree';
  readonly split: Use;
  /** Name under which the unit's item is visible in the target's templates. */
  readonly itemName?: string;
  readonly maxParallel: number;
  /** Tree only: number of messages that one execution reduces. */
  readonly groupSize: number;
}

export interface MemoryStore {
  readonly name: string;
  readonly type: string;
  readonly config: unknown;
}

/**
 * Treatment of executing activations when a scope stops: they finish, are cancelled, or have so many seconds to
 * finish.
 */
export type InFlightPolicy = 'drain' | 'cancel' | { readonly drain_seconds: number };

/** A termination in the form in which it is written, with all defaults filled in: reading it again gives the same. */
export type Termination = Exclude<TerminationCondition, TerminationLeaf> & {
  readonly in_flight: InFlightPolicy;
  /** Nodes that get the stop message when the named scope has stopped; none for a graph. */
  readonly exit_to: readonly string[];
  /** The nodes also receive the last message of the scope, or of the node with this id. */
  readonly carry_last: boolean | string;
  /** Text of the stop message; absent: the reason. */
  readonly message?: string;
};

/** A tree of conditions. */
export type TerminationCondition =
  | { readonly any_of: readonly TerminationCondition[] }
  | { readonly all_of: readonly TerminationCondition[] }
  | TerminationLeaf;

/** One condition from the catalogue. */
export interface TerminationLeaf extends Use {
  readonly id?: string;
  /** `cancel` overrides the termination's `in_flight` if this leaf is among those that are satisfied. */
  readonly in_flight?: 'cancel';
}

/** Nodes of a graph that stop together. The scope is reset each time it is entered from outside. */
export interface NamedScope {
  readonly id: string;
  readonly nodes: readonly string[];
  readonly termination?: Termination;
  /** Limit of the iterations of the cycles inside the scope. */
  readonly maxIterations?: number | 'unlimited';
}
