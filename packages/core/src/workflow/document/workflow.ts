import type { Budget } from '../../model/budget.ts';
import type { QueueName } from '../../model/ids.ts';
import type { Message } from '../../model/message.ts';
import type { Prices } from '../../model/price.ts';
import type { RateRule } from '../../model/rate.ts';

/** A validated workflow document in canonical form: plain JSON, variables resolved, subgraph files loaded. */
export interface Workflow {
  readonly version: string;
  /** `chatdev` restores the original engine's behaviour where ours differs on purpose. */
  readonly compat?: 'chatdev';
  readonly graph: Graph;
  /** Answers every agent of the run in place of its provider: the `params` of the provider `scripted`. */
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
  /** Cap on the iterations of every cycle that nothing else guards; default 100. */
  readonly maxIterations?: number | 'unlimited';
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly memory: readonly MemoryStore[];
  /** These three count in the outermost graph only. */
  readonly budget?: Budget;
  readonly prices?: Prices;
  readonly rateLimits?: readonly RateRule[];
  /** When an execution of the graph stops before it has come to its end. */
  readonly termination?: Termination;
  readonly scopes?: readonly NamedScope[];
  /** Whose workers are woken for nodes that name no queue; absent: those of the default queue. */
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
  /** As the node type's schema read it. For `subgraph`: `{}`, the graph is in `graph`. */
  readonly config: unknown;
  /** The inner graph of a `subgraph` node. */
  readonly graph?: Graph;
  /** When a call of the inner graph stops, beside what that says itself. */
  readonly termination?: Termination;
  /** Messages that wait at the node before the run starts. */
  readonly input: readonly Message[];
  /** Messages that count as produced before the run starts. */
  readonly output: readonly Message[];
  /** What a failure of this node means; default `fail`. */
  readonly onError?: 'fail' | 'text' | 'continue';
  /** What it keeps as its own outlives the call of the graph that it is in. */
  readonly lasting?: true;
  /** How long one attempt at it may take. */
  readonly timeoutSeconds?: number;
  /** Whose workers are woken for it; absent: as its graph says. */
  readonly queue?: QueueName;
}

/** A named thing from the catalogue with its configuration. */
export interface Use {
  readonly type: string;
  readonly config: unknown;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Whether a message over this edge makes the target due. */
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

/** How the target of an edge is fanned out over the messages of the edge. */
export interface Dynamic {
  readonly type: 'map' | 'tree';
  readonly split: Use;
  /** The unit's item is visible under this name in the target's templates. */
  readonly itemName?: string;
  readonly maxParallel: number;
  /** Tree only: messages reduced by one execution. */
  readonly groupSize: number;
}

export interface MemoryStore {
  readonly name: string;
  readonly type: string;
  readonly config: unknown;
}

/** What happens to work in flight when a scope stops: it may finish, is cut off, or may finish for so many seconds. */
export type InFlightPolicy = 'drain' | 'cancel' | { readonly drain_seconds: number };

/** A termination in the words in which it is written, with all defaults filled in: reading it again gives the same. */
export type Termination = Exclude<TerminationCondition, TerminationLeaf> & {
  readonly in_flight: InFlightPolicy;
  /** Nodes that get the stop message when the named scope has stopped; none for a graph. */
  readonly exit_to: readonly string[];
  /** Whether they also get the last message of the scope, or of the node with this id. */
  readonly carry_last: boolean | string;
  /** The text of the stop message; the reason when there is none. */
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
  /** Overrides the termination's `in_flight` when it is among the leaves that are met. */
  readonly in_flight?: 'cancel';
}

/** Nodes of a graph that stop together. Every time they are entered from outside they begin anew. */
export interface NamedScope {
  readonly id: string;
  readonly nodes: readonly string[];
  readonly termination?: Termination;
  /** Cap on the iterations of the cycles inside it. */
  readonly maxIterations?: number | 'unlimited';
}
