import type { EdgeHost, GraphPlan, Message, PlanEdge, PlanNode, ProcessorResult, Use } from '@millrace/core';
import { NodeError } from '@millrace/core';
import type { ActivationAttempt } from '../context/activation-attempt.ts';

/** Returns whether an edge takes a message, by its text. */
export type Condition = (text: string, message: Message) => boolean | Promise<boolean>;
/** Changes, drops or refuses a message on an edge. */
export type Processor = (message: Message, host: EdgeHost) => ProcessorResult | Promise<ProcessorResult>;

/** An edge with its condition and processor, compiled. */
export interface EdgeFunctions {
  readonly edge: PlanEdge;
  readonly condition: Condition | undefined;
  readonly processor: Processor | undefined;
}

/** The outgoing edges of nodes, by index of the node: for outputs, and for failures. */
interface CompiledEdges {
  readonly outputs: Map<number, readonly EdgeFunctions[]>;
  readonly failures: Map<number, readonly EdgeFunctions[]>;
}

const compiled = new WeakMap<GraphPlan, CompiledEdges>();

/** Returns the edges that the outputs of a node take, or its failures, compiled once per plan. */
export function edgesOf(
  { worker, context }: Pick<ActivationAttempt, 'worker' | 'context'>,
  node: PlanNode,
  failed: boolean,
): readonly EdgeFunctions[] {
  const { plan, graph } = context;
  const ofGraph = compiled.get(graph) ?? { outputs: new Map(), failures: new Map() };
  compiled.set(graph, ofGraph);
  const byNode = failed ? ofGraph.failures : ofGraph.outputs;
  const known = byNode.get(node.index);
  if (known !== undefined) return known;
  const { conditions, processors } = worker.vocabulary;
  const routeContext = { compat: plan.compat };
  const edges = node.out
    .flatMap((index) => graph.edges[index] ?? [])
    // Exits are for scopes that stop.
    .filter(({ onError, exit }) => onError === failed && !exit)
    .map(
      (edge): EdgeFunctions => ({
        edge,
        condition:
          edge.condition === null
            ? undefined
            : definitionOf(conditions, edge.condition, 'condition').compile(edge.condition.config, routeContext),
        processor:
          edge.processor === null
            ? undefined
            : definitionOf(processors, edge.processor, 'processor').compile(edge.processor.config, routeContext),
      }),
    );
  byNode.set(node.index, edges);
  return edges;
}

function definitionOf<Definition>(definitions: ReadonlyMap<string, Definition>, use: Use, what: string): Definition {
  const definition = definitions.get(use.type);
  if (definition === undefined)
    throw new NodeError('PLAN_INVALID', `This worker does not know the ${what} type "${use.type}".`);
  return definition;
}
