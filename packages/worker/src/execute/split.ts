import type { GraphPlan, Message, PlanNode, SplitterDefinition } from '@millrace/core';
import { assertFanOutFits, NodeError } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { nameItems } from '../context/items.ts';
import type { WorkerContext } from '../context/worker-context.ts';

type Splitter = ReturnType<SplitterDefinition['compile']>;
const prepared = new WeakMap<GraphPlan, Map<number, Splitter>>();

/** Cuts the dynamic inputs of a node into units; the others go to every unit as they are. */
export async function split(
  worker: WorkerContext,
  { plan, graph, input, refs }: ActivationContext,
  node: PlanNode,
): Promise<{ readonly units: readonly Message[]; readonly statics: readonly Message[] }> {
  const { fanOut } = node;
  if (fanOut?.conflict !== undefined)
    throw new NodeError('FAN_OUT_CONFLICT', `Node "${node.id}" cannot be fanned out: ${fanOut.conflict}.`);
  const dynamics = input.filter((_, at) => refs[at]?.dynamic);
  const statics = input.filter((_, at) => !refs[at]?.dynamic);
  if (dynamics.length === 0 || fanOut === undefined) return { units: [], statics };
  const ofGraph = prepared.get(graph) ?? new Map<number, Splitter>();
  prepared.set(graph, ofGraph);
  let splitter = ofGraph.get(node.index);
  if (splitter === undefined) {
    const definition = worker.vocabulary.splitters.get(fanOut.split.type);
    if (definition === undefined)
      throw new NodeError('PLAN_INVALID', `This worker does not know the split type "${fanOut.split.type}".`);
    splitter = definition.compile(fanOut.split.config, { compat: plan.compat });
    ofGraph.set(node.index, splitter);
  }
  const units = await splitter(dynamics, worker.runs.limits.fanOutItems);
  assertFanOutFits(units.length, worker.runs.limits);
  if (units.length > 1 && fanOut.maxParallel < 1)
    throw new NodeError('FAN_OUT_PARALLEL', `Node "${node.id}": max_parallel must be greater than 0.`);
  return { units: nameItems(units, fanOut), statics };
}
