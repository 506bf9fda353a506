import { textOf } from '@millrace/core';
import type { Activation, Trace, TraceRoute } from '../../support/reference/trace.ts';
import { compareCalls } from './compare-calls.ts';
import type { Difference } from './compare-messages.ts';
import { compareLists, compareMessage, samePermuted, shown } from './compare-messages.ts';
import type { Expected, ExpectedActivation, ExpectedEdge, ExpectedUnit } from './expected.ts';

/** The first difference between what a case must come to and what a run did. */
export function compareTrace(expected: Expected, trace: Trace): Difference {
  const difference = compareOutcome(expected, trace);
  return difference !== undefined && isOtherOutcome(expected, trace) ? undefined : difference;
}

function compareOutcome(expected: Expected, trace: Trace): Difference {
  const failed = expected.error !== null && expected.error !== undefined;
  if (failed !== (trace.error !== undefined)) {
    return `error: expected ${failed ? shown(expected.error) : 'none'}, got ${shown(trace.error ?? 'none')}`;
  }
  const common = failed ? 'as far as both went' : 'to the end';
  const activations = compareActivations(expected.per_node ?? [], trace.activations, common);
  if (failed || activations !== undefined) return activations;
  return (
    compareFinal(expected, trace) ??
    compareUnrun(expected, trace) ??
    compareCalls(expected.llm_calls, trace.calls) ??
    compareWaiting(expected, trace)
  );
}

/** A run that the recorder saw as well, where the order of things is a race in the recorded engine. */
function isOtherOutcome({ ordering, error }: Expected, trace: Trace): boolean {
  if (error !== null && error !== undefined) return false;
  const counts = new Map<string, number>();
  const sequence = trace.activations.map(({ graph, node }) => {
    const count = counts.get(`${graph} ${node}`) ?? 0;
    counts.set(`${graph} ${node}`, count + 1);
    return `${graph === '' ? '' : `${graph}/`}${node}#${count}`;
  });
  const ours = JSON.stringify(sequence.sort());
  const final = finalText(trace);
  return (ordering?.other_outcomes_seen ?? []).some(
    (other) =>
      other.error === null &&
      (other.final_output ?? '') === final &&
      JSON.stringify([...other.sequence].sort()) === ours,
  );
}

const finalText = ({ final }: Trace): string => (final === undefined ? '' : textOf(final));

function compareFinal(expected: Expected, trace: Trace): Difference {
  if (expected.final_output === undefined) return undefined;
  const wanted = expected.final_output ?? '';
  const final = finalText(trace);
  if (wanted !== final) return `final output: expected ${shown(wanted)}, got ${shown(final)}`;
  if (!expected.final_message) return undefined;
  if (trace.final === undefined) return `final message: expected ${shown(expected.final_message)}, got none`;
  return compareMessage('final message', expected.final_message, trace.final);
}

function compareUnrun({ never_executed }: Expected, { activations }: Trace): Difference {
  const ran = never_executed?.find((node) => activations.some((one) => one.graph === '' && one.node === node));
  return ran === undefined ? undefined : `never executed: expected ${shown(ran)} never to run, but it did`;
}

function compareWaiting({ node_inputs_at_end, per_node }: Expected, { waiting }: Trace): Difference {
  if (per_node === undefined || waiting === undefined) return undefined;
  const wanted = node_inputs_at_end ?? {};
  for (const node of new Set([...Object.keys(wanted), ...Object.keys(waiting)])) {
    const lists = { expected: wanted[node] ?? [], got: waiting[node] ?? [] };
    const difference = compareLists(`waiting at ${node}`, lists, compareMessage);
    if (difference !== undefined && !samePermuted(lists.expected, lists.got, everyPair(lists.expected)))
      return difference;
  }
  return undefined;
}

/** The recorder does not say which of the messages left over came from a race. */
const everyPair = (list: readonly unknown[]): (readonly [number, number])[] =>
  list.flatMap((_, b) => Array.from({ length: b }, (_, a) => [a, b] as const));

function compareActivations(
  expected: readonly ExpectedActivation[],
  got: readonly Activation[],
  extent: 'to the end' | 'as far as both went',
): Difference {
  const wanted = byNode(
    expected.filter(({ error }) => error === undefined),
    (one) => ({ graph: one.graph ?? 'root', instance: one.graph_instance ?? 1, node: one.node }),
  );
  const found = byNode(got, (one) => ({ ...one, graph: one.graph === '' ? 'root' : `root/${one.graph}` }));
  for (const node of new Set([...wanted.keys(), ...found.keys()])) {
    const lists = { expected: wanted.get(node) ?? [], got: found.get(node) ?? [] };
    const length = Math.min(lists.expected.length, lists.got.length);
    const common = { expected: lists.expected.slice(0, length), got: lists.got.slice(0, length) };
    const difference = compareLists(node, extent === 'to the end' ? lists : common, compareActivation);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

interface Key {
  readonly graph: string;
  readonly instance: number;
  readonly node: string;
}

function byNode<T>(list: readonly T[], keyOf: (one: T) => Key): Map<string, T[]> {
  const result = new Map<string, T[]>();
  for (const one of list) {
    const { graph, instance, node } = keyOf(one);
    const key = `${graph === 'root' ? '' : `${graph.slice('root/'.length)}(${instance})/`}${node}`;
    result.set(key, [...(result.get(key) ?? []), one]);
  }
  return result;
}

function compareActivation(where: string, expected: ExpectedActivation, got: Activation): Difference {
  const { inputs, unordered_input_pairs } = expected;
  const difference = compareLists(`${where}.inputs`, { expected: inputs, got: got.inputs }, compareMessage);
  if (difference !== undefined && !samePermuted(inputs, got.inputs, unordered_input_pairs ?? [])) return difference;
  return (
    compareUnits(where, expected.units, got.units) ??
    compareOutputs(where, expected, got) ??
    compareEdges(`${where}.edges`, expected.edges, got.routes)
  );
}

function compareUnits(
  where: string,
  expected: readonly ExpectedUnit[] | undefined,
  got: Activation['units'],
): Difference {
  if (expected === undefined || got === undefined) return undefined;
  return compareLists(`${where}.units`, { expected, got }, (unit, wanted, found) => {
    const inputs = compareLists(`${unit}.inputs`, { expected: wanted.inputs, got: found.inputs }, compareMessage);
    if (inputs !== undefined || wanted.outputs === undefined) return inputs;
    return compareLists(`${unit}.outputs`, { expected: wanted.outputs, got: found.outputs }, compareMessage);
  });
}

function compareOutputs(where: string, { outputs }: ExpectedActivation, got: Activation): Difference {
  if (outputs === undefined) return undefined;
  return compareLists(`${where}.outputs`, { expected: outputs, got: got.outputs }, compareMessage);
}

function compareEdges(
  where: string,
  edges: readonly ExpectedEdge[] | undefined,
  got: readonly TraceRoute[],
): Difference {
  if (edges === undefined) return undefined;
  const expected = edges.filter((edge) => edge.context_self_link !== true);
  return compareLists(where, { expected, got }, (edge, wanted, found) => {
    const name = `${edge} to ${wanted.to}`;
    if (wanted.to !== found.to)
      return `${edge}: expected an edge to ${shown(wanted.to)}, got one to ${shown(found.to)}`;
    if (wanted.condition_met !== found.met) {
      return `${name}: expected the condition ${wanted.condition_met ? '' : 'not '}to hold`;
    }
    if (wanted.delivered === null || found.delivered === undefined) {
      const same = wanted.delivered === null && found.delivered === undefined;
      return same ? undefined : `${name}: expected ${shown(wanted.delivered)}, got ${shown(found.delivered ?? null)}`;
    }
    return compareMessage(name, wanted.delivered, found.delivered);
  });
}
