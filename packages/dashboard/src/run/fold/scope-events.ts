import type { Applied, Change } from './fields.ts';
import { settle } from './live.ts';
import type { Picture, Scope } from './picture.ts';
import { factsOf, placeOf } from './picture.ts';

/** Changes by events of graphs, cycles and fan-outs. */
export const scopeEvents: Readonly<Record<string, Change>> = {
  'graph.entered'(picture, { scope, graph, caller }) {
    // A further task of the run continues with the counters that it has; each call of a subgraph has its own.
    if (!picture.scopes.has(scope)) forgetLoops(picture, graph);
    enter(picture, scope, { kind: 'graph', graph, parent: caller?.scope, node: caller?.node });
    if (caller !== undefined) factsOf(picture, placeOf(graphOf(picture, caller.scope), caller.node)).openCalls += 1;
  },
  'graph.left': (picture, { scope }) => leave(picture, scope),
  'cycle.entered': enterCycle,
  'cycle.iterated'({ scopes, cycles }, { scope, iteration }) {
    const cycle = cycles.get(scopes.get(scope)?.cycle ?? '');
    if (cycle !== undefined) cycle.turn = iteration;
  },
  'cycle.left': (picture, { scope }) => leave(picture, scope),
  'scope.dropped'(picture, { scope }) {
    const dropped = picture.scopes.get(scope);
    leave(picture, scope);
    if (dropped?.parent === undefined || dropped.node === undefined) return;
    // The node that opened it is complete, without a result.
    completeNode(picture, picture.scopes.get(dropped.parent)?.graph ?? dropped.graph, dropped.node);
  },
  'fanout.entered': enterFanOut,
  'fanout.layered'(picture, { scope }) {
    const tree = picture.scopes.get(scope);
    if (tree?.node === undefined) return;
    const { units } = factsOf(picture, placeOf(tree.graph, tree.node));
    // The result of the last layer is no unit.
    if (units !== undefined && tree.outputs > 1) units.total += Math.ceil(tree.outputs / tree.groupSize);
    tree.outputs = 0;
  },
  'fanout.left'(picture, { scope }) {
    const left = picture.scopes.get(scope);
    leave(picture, scope);
    // The node of a map is complete with its last unit; a tree closes with an activation of its own.
    if (left?.kind === 'map' && left.node !== undefined) completeNode(picture, left.graph, left.node);
  },
};

function completeNode(picture: Picture, graph: string, node: number): void {
  factsOf(picture, placeOf(graph, node)).runs += 1;
}

type Entered = Pick<Scope, 'kind' | 'graph' | 'parent' | 'node'> & Partial<Pick<Scope, 'cycle' | 'groupSize'>>;

/** Adds a scope, inside the one that it belongs to. */
export function enter({ scopes }: Picture, id: string, { cycle, groupSize = 1, ...entered }: Entered): void {
  scopes.set(id, { ...entered, cycle, groupSize, outputs: 0, live: new Set(), inner: new Set() });
  if (entered.parent !== undefined) scopes.get(entered.parent)?.inner.add(id);
}

function forgetLoops({ nodes }: Picture, graph: string): void {
  for (const [place, facts] of nodes) {
    if (!place.startsWith(`${graph}\n`)) continue;
    facts.counter = undefined;
    facts.timer = undefined;
  }
}

function enterCycle(picture: Picture, { scope, parent, members, limit }: Applied): void {
  const graph = graphOf(picture, parent);
  const cycle = `${graph}\n${members.join(' ')}`;
  const open = (picture.cycles.get(cycle)?.open ?? 0) + 1;
  picture.cycles.set(cycle, { graph, members, limit, turn: 1, open });
  enter(picture, scope, { kind: 'cycle', graph, parent, node: undefined, cycle });
}

function enterFanOut(picture: Picture, { scope, parent, kind, node, units, groupSize }: Applied): void {
  const graph = graphOf(picture, parent);
  const total = kind === 'map' ? units.length : Math.ceil(units.length / groupSize);
  enter(picture, scope, { kind, graph, parent, node, groupSize });
  const facts = factsOf(picture, placeOf(graph, node));
  if (facts.openUnits === 0 || facts.units === undefined) facts.units = { total: 0, started: 0, completed: 0 };
  facts.units.total += total;
  facts.openUnits += 1;
}

/** Returns the key of the graph that a scope belongs to. */
export const graphOf = ({ scopes }: Picture, scope: string): string => scopes.get(scope)?.graph ?? '';

/** Ends a scope with everything inside it. */
function leave(picture: Picture, id: string): void {
  const { scopes, cycles } = picture;
  const left = scopes.get(id);
  if (left === undefined) return;
  for (const inner of left.inner) leave(picture, inner);
  for (const activation of left.live) settle(picture, activation);
  scopes.delete(id);
  if (left.parent !== undefined) scopes.get(left.parent)?.inner.delete(id);
  const cycle = cycles.get(left.cycle ?? '');
  if (cycle !== undefined) cycle.open -= 1;
  countLeft(picture, left);
}

/** Counts a fan-out or a call as over at the node that opened it. */
function countLeft(picture: Picture, { kind, graph, node, parent }: Scope): void {
  if (node === undefined || parent === undefined) return;
  if (kind === 'graph') factsOf(picture, placeOf(graphOf(picture, parent), node)).openCalls -= 1;
  else factsOf(picture, placeOf(graph, node)).openUnits -= 1;
}
