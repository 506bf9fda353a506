import type { LogLevel, ModelUsage, RunStatus } from '@millrace/core';
import type { BudgetProjection, LiveProjection, NodeProgress, ScopeProjection } from '@millrace/core/projection';

/** The graphs of a run as of one of its events, for pictures of it. */
export interface RunGraphs {
  /** Id of the last event that they cover. */
  readonly event: string;
  /** Time of that event, in milliseconds since 1970. */
  readonly at: number;
  /** Time of the answer by the store's clock. */
  readonly now: number;
  readonly status: RunStatus;
  readonly usage: ModelUsage;
  /** null without one. */
  readonly budget: BudgetProjection | null;
  readonly activations: number;
  readonly graphs: readonly RunGraph[];
  readonly progress: RunProgress;
  /** Hash of the text that the run was started with; absent for runs that were started without it. */
  readonly definition?: string;
}

/** Scopes and activations in progress in a run. With the graphs, they are everything that the next events of the journal change. */
export interface RunProgress {
  /** Executions of graphs, cycles and fan-outs that are not over, outer ones first. */
  readonly scopes: readonly ({ readonly id: string } & ScopeProjection)[];
  /** Activations that have not settled. */
  readonly activations: readonly ({ readonly id: string } & LiveProjection)[];
}

/** A node as a picture of the run shows it. */
export interface GraphNode extends NodeProgress {
  readonly id: string;
  readonly type: string;
  /** It guards a loop. */
  readonly guard?: true;
  /** A human node. */
  readonly waits?: true;
  /** Its outputs are hidden. */
  readonly discreet?: true;
  /** The data of its outputs, in a few words. */
  readonly data?: string;
  /** The key of the graph inside it. */
  readonly graph?: string;
  readonly counter?: { readonly value: number; readonly limit: number };
  /** A loop timer; `startedAt` is absent before its first trigger. */
  readonly timer?: { readonly startedAt?: number; readonly limitMs: number; readonly emitted: boolean };
  readonly usage?: ModelUsage;
}

/** An edge, by the ids of its nodes. */
export interface GraphEdge {
  /** Number of the edge, as the journal has it. */
  readonly index: number;
  readonly from: string;
  readonly to: string;
  readonly trigger: boolean;
  readonly carryData: boolean;
  readonly dynamic: boolean;
  /** The edge applies to failures of its source only. */
  readonly onError: boolean;
  /** It has a condition. */
  readonly conditional: boolean;
  /** The condition in words. */
  readonly condition?: string;
  /** Number of messages that it has passed on. */
  readonly passed: number;
  /** It passed nothing on when its source completed last. */
  readonly missed?: true;
}

/** A cycle of a graph: a loop in the workflow. */
export interface GraphCycle {
  /** Its nodes: indices of `nodes`. */
  readonly nodes: readonly number[];
  /** Number of its current or last iteration; 0 before its first one. */
  readonly iteration: number;
  /** Maximum number of iterations; null for none; absent before it was entered. */
  readonly limit?: number | null;
  readonly live: boolean;
}

/** One graph of a run. */
export interface RunGraph {
  /** Empty for the root; otherwise the path of the enclosing nodes. */
  readonly key: string;
  readonly id: string;
  /** Log entries below this level are not reported. */
  readonly logLevel: LogLevel;
  /** Items, by the numbers that the journal has for them: indices of `nodes`. */
  readonly items: readonly (readonly number[])[];
  readonly cycles: readonly GraphCycle[];
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}
