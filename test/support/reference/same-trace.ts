import type { Message } from '@millrace/core';
import { bodyOf } from '@millrace/core';
import type { Activation, Trace } from './trace.ts';

/**
 * A trace without what does not count: in which order unrelated nodes ran, and how the executions of one inner graph
 * were numbered. Traces of runs that mean the same are deeply equal in this form; of failed runs only the failure counts.
 */
export function essenceOf(trace: Trace): unknown {
  if (trace.error !== undefined) return 'failed';
  return {
    final: trace.final === undefined ? undefined : essential(trace.final),
    capped: [...trace.capped].sort(),
    waiting: trace.waiting && nodesOf(Object.entries(trace.waiting).map(([node, list]) => [node, list.map(essential)])),
    graphs: graphsOf(trace.activations),
  };
}

const essential = (message: Message): unknown => {
  const { role, source, keep } = message;
  return { ...bodyOf(message), role, source, keep };
};

const nodesOf = (entries: readonly (readonly [string, unknown])[]): unknown =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

function graphsOf(activations: readonly Activation[]): readonly string[] {
  const graphs = new Map<string, Map<string, unknown[]>>();
  for (const { graph, instance, node, inputs, outputs, routes, units } of activations) {
    const key = `${graph} ${instance}`;
    const nodes = graphs.get(key) ?? new Map<string, unknown[]>();
    graphs.set(key, nodes);
    const list = nodes.get(node) ?? [];
    nodes.set(node, list);
    list.push({
      inputs: inputs.map(essential),
      outputs: outputs.map(essential),
      routes: routes.map((route) => ({ ...route, delivered: route.delivered && essential(route.delivered) })),
      units: units?.map((unit) => ({ inputs: unit.inputs.map(essential), outputs: unit.outputs.map(essential) })),
    });
  }
  return [...graphs]
    .map(([key, nodes]) => `${key.split(' ')[0]}: ${JSON.stringify(nodesOf([...nodes]), null, 1)}`)
    .sort();
}
