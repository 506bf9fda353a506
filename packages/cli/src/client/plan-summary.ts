import type { LogLevel } from '@millrace/core';

/** What the journal of a run refers to by number, by the keys of its graphs; the root's is ''. A plan is one. */
export interface PlanSummary {
  readonly graphs: ReadonlyMap<string, PlanSummaryGraph>;
  /** Whether its work may wait in a queue that nobody serves; absent: only where it is kept that can be seen. */
  readonly routed?: boolean;
}

/** One graph of it. */
export interface PlanSummaryGraph {
  readonly logLevel: LogLevel;
  readonly nodes: readonly PlanSummaryNode[];
  /** What is due as one: a node, or the members of a cycle. */
  readonly items: readonly { readonly members: readonly number[] }[];
}

/** What progress needs to know of a node. */
export interface PlanSummaryNode {
  readonly id: string;
  readonly type: string;
  /** It guards a loop. */
  readonly guard?: boolean;
  /** It waits for a person. */
  readonly waits?: boolean;
  /** Whether its outputs may be shown; absent: they may. */
  readonly logOutput?: boolean;
}
