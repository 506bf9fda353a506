import type { RunGraphs } from '@millrace/client';
import type { LogLevel } from '@millrace/core';

/** Parts of the graphs of a run that its journal refers to by number, by the keys of the graphs; the root's is ''. */
export interface PlanSummary {
  readonly graphs: ReadonlyMap<string, PlanSummaryGraph>;
}

/** One graph of a summary. */
export interface PlanSummaryGraph {
  readonly logLevel: LogLevel;
  readonly nodes: readonly PlanSummaryNode[];
  /** Units that are due as one: a node, or the members of a cycle. */
  readonly items: readonly { readonly members: readonly number[] }[];
}

/** Facts of a node that progress needs. */
export interface PlanSummaryNode {
  readonly id: string;
  readonly type: string;
  /** It guards a loop. */
  readonly guard?: boolean;
  /** It waits for a person. */
  readonly waits?: boolean;
  /** False: its outputs are not shown. */
  readonly logOutput?: boolean;
}

/** Returns the summary of graphs as the API has them. */
export const planSummaryOf = ({ graphs }: RunGraphs): PlanSummary => ({
  graphs: new Map(
    graphs.map(({ key, logLevel, nodes, items }) => [
      key,
      {
        logLevel,
        nodes: nodes.map(({ id, type, guard, waits, discreet }) => ({
          id,
          type,
          guard: guard === true,
          waits: waits === true,
          logOutput: discreet !== true,
        })),
        items: items.map((members) => ({ members })),
      },
    ]),
  ),
});
