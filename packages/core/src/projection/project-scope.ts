import type { ProjectedEvent } from '../engine/records/journal-event.ts';
import type { Of } from './projected-entry.ts';
import type { CycleProjection, NodeProjection, RunProjection, ScopeProjection } from './run-projection.ts';
import { graphIn, nodeIn } from './run-projection.ts';

/** Applies an event of a graph, a cycle or a fan-out. */
export function projectScope(projection: RunProjection, event: ProjectedEvent): void {
  switch (event.type) {
    case 'graph.entered':
      return enterGraph(projection, event);
    case 'cycle.entered':
      return enterCycle(projection, event);
    case 'cycle.iterated':
      return iterate(projection, event);
    case 'fanout.entered':
      return enterFanOut(projection, event);
    case 'fanout.layered':
      return addLayer(projection, event);
    case 'cycle.left':
      return removeScope(projection, event.scope);
    case 'fanout.left': {
      const left = projection.scopes.get(event.scope);
      // The node of a map is complete with its last unit; a tree is closed by a separate activation.
      if (left?.type === 'map') nodeIn(projection, left.graph, left.node).runs += 1;
      return removeScope(projection, event.scope);
    }
    case 'graph.left':
      return event.stopped ? removeAll(projection, event.scope) : removeScope(projection, event.scope);
    case 'scope.dropped': {
      const dropped = projection.scopes.get(event.scope);
      removeAll(projection, event.scope);
      // The node that opened it is complete without a result.
      if (dropped === undefined || dropped.type === 'cycle' || dropped.node === undefined) return;
      const graph = dropped.type === 'graph' ? projection.scopes.get(dropped.parent ?? '')?.graph : dropped.graph;
      if (graph !== undefined) nodeIn(projection, graph, dropped.node).runs += 1;
      return;
    }
    default:
      return;
  }
}

function enterGraph(projection: RunProjection, { scope, graph, caller }: Of<'graph.entered'>): void {
  const isAgain = projection.scopes.get(scope) !== undefined;
  const { nodes } = graphIn(projection, graph);
  // A further task of the run continues with the counters that it has; each call of a subgraph has its own.
  if (!isAgain) for (const node of nodes.values()) forgetLoops(node);
  projection.scopes.set(scope, {
    type: 'graph',
    graph,
    ...(caller === undefined ? {} : { parent: caller.scope, node: caller.node }),
  });
}

function forgetLoops(node: NodeProjection): void {
  delete node.counter;
  delete node.timer;
}

const graphOf = ({ scopes }: RunProjection, scope: string): string => scopes.get(scope)?.graph ?? '';

function enterCycle(projection: RunProjection, { scope, parent, members, limit }: Of<'cycle.entered'>): void {
  const graph = graphOf(projection, parent);
  const { cycles } = graphIn(projection, graph);
  const found = cycles.findIndex((one) => isSame(one.members, members));
  const at = found < 0 ? cycles.length : found;
  const cycle: CycleProjection = cycles[at] ?? { members, iteration: 0, limit, open: 0 };
  cycles[at] = cycle;
  cycle.iteration = 1;
  cycle.limit = limit;
  cycle.open += 1;
  projection.scopes.set(scope, { type: 'cycle', graph, parent, cycle: at, iteration: 1 });
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((member, at) => member === other[at]);

function iterate(projection: RunProjection, { scope, iteration }: Of<'cycle.iterated'>): void {
  const cycle = projection.scopes.get(scope);
  if (cycle?.type !== 'cycle') return;
  cycle.iteration = iteration;
  const shown = graphIn(projection, cycle.graph).cycles[cycle.cycle];
  if (shown !== undefined) shown.iteration = iteration;
}

function enterFanOut(projection: RunProjection, event: Of<'fanout.entered'>): void {
  const { scope, parent, node, kind, before: stored = 0, units, groupSize } = event;
  const graph = graphOf(projection, parent);
  const shown = nodeIn(projection, graph, node);
  const count = stored + units.length;
  const total = kind === 'map' ? count : Math.ceil(count / groupSize);
  const before = shown.units?.open ? shown.units : { total: 0, started: 0, completed: 0, open: 0 };
  shown.units = { ...before, total: before.total + total, open: before.open + 1 };
  projection.scopes.set(scope, { type: kind, graph, parent, node, groupSize, outputs: 0 });
}

/** Adds the units of the next layer of a tree; the result of its last layer is no unit. */
function addLayer(projection: RunProjection, { scope }: Of<'fanout.layered'>): void {
  const tree = projection.scopes.get(scope);
  if (tree?.type !== 'tree') return;
  const { units } = nodeIn(projection, tree.graph, tree.node);
  if (units !== undefined && tree.outputs > 1) units.total += Math.ceil(tree.outputs / tree.groupSize);
  tree.outputs = 0;
}

function removeScope(projection: RunProjection, scope: string): void {
  const left = projection.scopes.get(scope);
  if (left === undefined) return;
  projection.scopes.delete(scope);
  close(projection, left);
}

function close(projection: RunProjection, left: ScopeProjection): void {
  if (left.type === 'graph') return;
  if (left.type === 'cycle') {
    const cycle = graphIn(projection, left.graph).cycles[left.cycle];
    if (cycle !== undefined) cycle.open -= 1;
    return;
  }
  const { units } = nodeIn(projection, left.graph, left.node);
  if (units !== undefined) units.open -= 1;
}

/** Removes a scope with everything inside it, where no activation is left. */
function removeAll(projection: RunProjection, scope: string): void {
  removeScope(projection, scope);
  for (const [id, { parent }] of [...projection.scopes]) if (parent === scope) removeAll(projection, id);
}
