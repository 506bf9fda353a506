import type { NodeDefinition } from '../../definitions/define.ts';
import type { Path } from '../document/path.ts';
import type { ProblemReporter } from '../document/report.ts';
import type { Edge, Graph, Node } from '../document/workflow.ts';
import { isNever } from '../elements/condition.ts';

/** A graph as read, with the data that its checks need. */
export interface CheckedGraph {
  readonly graph: Graph;
  readonly path: Path;
  readonly report: ProblemReporter;
  readonly compat: boolean;
  /** In the order of the graph's nodes. */
  readonly nodes: readonly {
    readonly node: Node;
    readonly path: Path;
    readonly definition?: NodeDefinition;
  }[];
}

/** Returns whether a message over the edge can make its target due. */
export const canTrigger = ({ trigger, condition }: Edge): boolean => trigger && !isNever(condition);
