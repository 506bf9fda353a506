import type { NodeDefinition } from '../../definitions/define.ts';
import type { Path } from '../document/path.ts';
import type { ProblemReporter } from '../document/report.ts';
import type { Edge, Graph, Node } from '../document/workflow.ts';
import { isNever } from '../elements/condition.ts';

/** A graph that was read, with what its checks need to know beside it. */
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

/** Whether a message can make the target of the edge due. */
export const canTrigger = ({ trigger, condition }: Edge): boolean => trigger && !isNever(condition);
