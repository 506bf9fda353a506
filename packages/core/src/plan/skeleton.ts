import type { GraphPlan, Plan, PlanEdge, PlanNode } from './plan.ts';
import type { PlanCondition, PlanTermination } from './termination.ts';

/*
 * The skeleton of a plan is the part that the state of a run refers to: graphs by their keys, nodes and edges by their
 * indices, items, scopes, and the conditions of terminations by their paths. A run can continue under another plan with the
 * same skeleton; configurations, prompts, models, conditions of edges and limits may differ.
 */

/** Returns the first difference between the skeletons of two plans, in words; undefined when they are the same. */
export function skeletonDifference(before: Plan, after: Plan): string | undefined {
  if (before.compat !== after.compat) return 'one of them follows the engine of ChatDev (`compat`)';
  for (const key of new Set([...before.graphs.keys(), ...after.graphs.keys()])) {
    const [old, fresh] = [before.graphs.get(key), after.graphs.get(key)];
    const name = key === '' ? 'the root graph' : `the graph "${key}"`;
    if (old === undefined || fresh === undefined) return `${name} is in one of them only`;
    const difference = graphDifference(old, fresh);
    if (difference !== undefined) return `in ${name}, ${difference}`;
  }
  return undefined;
}

function graphDifference(before: GraphPlan, after: GraphPlan): string | undefined {
  if (before.voting !== after.voting) return 'one of them is decided by votes';
  return (
    firstDifference(before.nodes, after.nodes, nodeDifference) ??
    firstDifference(before.edges, after.edges, (one, other) => edgeDifference(one, other, before.nodes)) ??
    different(before.items, after.items, 'loops have other members or entries') ??
    different(before.start, after.start, 'the start nodes differ') ??
    different(before.finals, after.finals, 'the end nodes differ') ??
    different(
      before.scopes.map(scopeShape),
      after.scopes.map(scopeShape),
      'named scopes or their terminations differ',
    ) ??
    different(terminationShape(before.termination), terminationShape(after.termination), 'the terminations differ')
  );
}

function firstDifference<Part>(
  before: readonly Part[],
  after: readonly Part[],
  differenceOf: (one: Part | undefined, other: Part | undefined) => string | undefined,
): string | undefined {
  const count = Math.max(before.length, after.length);
  for (let at = 0; at < count; at++) {
    const difference = differenceOf(before[at], after[at]);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function nodeDifference(before: PlanNode | undefined, after: PlanNode | undefined): string | undefined {
  if (before === undefined || after === undefined) return `node "${(before ?? after)?.id}" is in one of them only`;
  const { index, id } = before;
  if (id !== after.id) return `node ${index + 1} is "${id}" in one and "${after.id}" in the other`;
  if (before.type !== after.type)
    return `node "${id}" has the type ${before.type} in one and ${after.type} in the other`;
  if (before.graph !== after.graph) return `node "${id}" runs another graph`;
  if (before.fanOut?.type !== after.fanOut?.type) return `the inputs of node "${id}" are split in another way`;
  if (before.usesWorkspace !== after.usesWorkspace) return `node "${id}" uses the files of the run in one of them only`;
  if (before.lasting !== after.lasting || before.state !== after.state) return `node "${id}" keeps another state`;
  return undefined;
}

function edgeDifference(
  before: PlanEdge | undefined,
  after: PlanEdge | undefined,
  nodes: readonly PlanNode[],
): string | undefined {
  const named = ({ from, to }: Pick<PlanEdge, 'from' | 'to'>) => `from "${nodes[from]?.id}" to "${nodes[to]?.id}"`;
  if (before === undefined || after === undefined) {
    const only = before ?? after;
    return only && `the edge ${named(only)} is in one of them only`;
  }
  if (before.from !== after.from || before.to !== after.to)
    return `edge ${before.index + 1} leads ${named(before)} in one and ${named(after)} in the other`;
  if (before.dynamic !== after.dynamic || before.exit !== after.exit)
    return `the edge ${named(before)} is of another kind`;
  return undefined;
}

const different = (before: unknown, after: unknown, difference: string): string | undefined =>
  JSON.stringify(before) === JSON.stringify(after) ? undefined : difference;

const scopeShape = ({ id, members, termination }: GraphPlan['scopes'][number]) => [
  id,
  [...members],
  terminationShape(termination),
];

const terminationShape = (termination: PlanTermination | undefined) =>
  termination === undefined ? null : [conditionShape(termination.tree), termination.exitTo];

const conditionShape = (condition: PlanCondition): unknown =>
  condition.type === 'leaf' ? condition.name : [condition.type, ...condition.of.map(conditionShape)];
