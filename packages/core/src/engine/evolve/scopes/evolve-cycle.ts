import type { ScopeId } from '../../../model/ids.ts';
import type { GraphPlan } from '../../../plan/plan.ts';
import type { SweepMember } from '../../../plan/sweep.ts';
import { sweepOf } from '../../../plan/sweep.ts';
import type { Event } from '../../records/event.ts';
import type { CycleScope } from '../../records/records.ts';
import type { Fold } from '../../state/fold.ts';
import { applyPending, forwardPending, trimInbox } from '../../state/inbox.ts';
import { frameOf, graphOf, nodeOf, runOf, scopeOf } from '../../state/lookup.ts';
import type { Draft } from '../../state/state.ts';
import { settleItem, shiftDueItem } from './evolve-graph.ts';
import { countRunningNodes } from './evolve-termination.ts';

/*
 * An execution of a cycle is a series of sweeps over its members, level by level. The triggered members of a level are
 * dispatched together. Their deliveries wait until all of them have settled; then, in the order of the members, first
 * all context windows are trimmed, and then all deliveries are received. So the input of a member never depends on which
 * of its siblings was faster. An edge that leads out of the cycle ends the cycle after the level in which it fired.
 * One record holds the fired trigger edges of a cycle and of all cycles inside it, because an edge that was not consumed
 * when an inner cycle ended still counts when that cycle is entered again.
 */

type CycleEvent = Extract<Event, { type: `cycle.${string}` }>;

/** Folds the events of a cycle. */
export function evolveCycle(fold: Fold, event: CycleEvent): void {
  switch (event.type) {
    case 'cycle.entered':
      return entered(fold, event);
    case 'cycle.iterated': {
      const scope = cycleOf(fold.draft, event.scope);
      fold.draft.set(`scope/${event.scope}`, { ...scope, iteration: event.iteration, roots: event.roots, level: 0 });
      return;
    }
    case 'cycle.advanced':
      return completeLevel(fold, event.scope);
    case 'cycle.left':
      return left(fold, event);
  }
}

/** Returns the scope of a cycle. Throws if there is none with this id. */
export function cycleOf(draft: Pick<Draft, 'get'>, id: ScopeId): CycleScope {
  const scope = scopeOf(draft as Draft, id);
  if (scope.type !== 'cycle') throw new Error(`scope ${id} is not a cycle`);
  return scope;
}

function entered(fold: Fold, event: Extract<Event, { type: 'cycle.entered' }>): void {
  const { plan, draft } = fold;
  const run = runOf(draft);
  const parent = scopeOf(draft, event.parent);
  const graph = graphOf(plan, parent);
  const frame = frameOf(parent, event.parent);
  draft.set('run', { ...run, nextScope: run.nextScope + 1 });
  draft.set(`scope/${event.scope}`, {
    type: 'cycle',
    graph: parent.graph,
    frame,
    parent: event.parent,
    outermost: parent.type === 'cycle' ? parent.outermost : event.scope,
    item: event.item,
    members: event.members,
    entry: event.entry,
    limit: event.limit,
    iteration: 1,
    roots: [event.entry],
    level: 0,
    live: 0,
    dispatched: [],
    exits: [],
  });
  if (parent.type === 'cycle') {
    const after = dispatched(withoutNamedEntry(parent, event.entry), event.item, event.level ?? parent.level);
    draft.set(`scope/${event.parent}`, after);
    return;
  }
  if (parent.type !== 'graph') throw new Error(`a cycle cannot be part of a ${parent.type}`);
  draft.set(`scope/${event.parent}`, { ...parent, live: parent.live + 1 });
  draft.delete(`item/${event.parent}/${event.item}`);
  shiftDueItem(draft, event.parent);
  for (const member of event.members)
    applyPending(draft, { graph, frame }, { scope: event.parent, node: nodeOf(graph, member) });
}

const dispatched = (scope: CycleScope, position: number, level: number): CycleScope => ({
  ...scope,
  live: scope.live + 1,
  level: level + 1,
  dispatched: [...scope.dispatched, position],
});

/** Returns the cycle without the member that a person named, once that member is dispatched. */
function withoutNamedEntry(scope: CycleScope, entry: number): CycleScope {
  if (scope.told !== entry) return scope;
  const { told: _told, ...others } = scope;
  return others;
}

/** Folds the dispatch of a node of a cycle: the edges that triggered it are consumed, and its own edges are reset. */
export function dispatchInCycle(
  fold: Fold,
  due: { id: ScopeId; scope: CycleScope; node: number; level: number },
): void {
  const { plan, draft } = fold;
  draft.set(`scope/${due.id}`, dispatched(withoutNamedEntry(due.scope, due.node), due.node, due.level));
  const graph = graphOf(plan, due.scope);
  const node = nodeOf(graph, due.node);
  countRunningNodes(fold, { graph, frame: due.scope.frame, node: due.node }, 1);
  removeFired(draft, due.scope.outermost, (edge) => node.in.includes(edge) || node.out.includes(edge));
}

function completeLevel({ plan, draft }: Fold, id: ScopeId): void {
  const scope = cycleOf(draft, id);
  const graph = graphOf(plan, scope);
  const { frame } = scope;
  const sweep = sweepOf(graph, scope.members, scope.entry);
  const members = scope.dispatched.flatMap((position) => sweep.memberOf(position) ?? []);
  for (const { inner, position } of members) if (!inner) trimInbox(draft, frame, nodeOf(graph, position));
  draft.set(`scope/${id}`, { ...scope, dispatched: [] });
  const reached = members.flatMap((member) => deliveryTargets(graph, member));
  const fired: number[] = [];
  for (const target of [...new Set(reached)].sort((a, b) => a - b)) {
    const node = nodeOf(graph, target);
    if (sweep.contains(target)) {
      for (const edge of applyPending(draft, { graph, frame }, { scope: id, node })) fired.push(edge);
    } else forwardPending(draft, { frame, node: node.id }, { id, parent: scope.parent, item: scope.item });
  }
  if (fired.length > 0) {
    draft.set(`fired/${scope.outermost}`, union(draft.get(`fired/${scope.outermost}`) ?? [], fired));
  }
}

/** Returns the nodes at which deliveries of a member may wait: the targets of its edges, and its own nodes. */
const deliveryTargets = (graph: GraphPlan, { nodes }: SweepMember): number[] =>
  nodes.flatMap((node) => [node, ...nodeOf(graph, node).out.flatMap((edge) => graph.edges[edge]?.to ?? [])]);

function left(fold: Fold, event: Extract<Event, { type: 'cycle.left' }>): void {
  const { plan, draft } = fold;
  const scope = cycleOf(draft, event.scope);
  const graph = graphOf(plan, scope);
  if (event.reason === 'limit') {
    const run = runOf(draft);
    draft.set('run', { ...run, capped: [...(run.capped ?? []), nodeOf(graph, scope.entry).id] });
  }
  if (scope.outermost === event.scope) draft.delete(`fired/${event.scope}`);
  else if (event.reason === 'exit') {
    removeFired(draft, scope.outermost, (edge) => scope.members.includes(graph.edges[edge]?.to ?? -1));
  }
  draft.delete(`scope/${event.scope}`);
  const parent = scopeOf(draft, scope.parent);
  if (parent.type === 'cycle') draft.set(`scope/${scope.parent}`, { ...parent, live: parent.live - 1 });
  else settleItem(fold, scope.parent, scope.item);
}

function removeFired(draft: Draft, outermost: ScopeId, gone: (edge: number) => boolean): void {
  const fired = draft.get(`fired/${outermost}`) ?? [];
  const left = fired.filter((edge) => !gone(edge));
  if (left.length === fired.length) return;
  if (left.length === 0) draft.delete(`fired/${outermost}`);
  else draft.set(`fired/${outermost}`, left);
}

const union = (a: readonly number[], b: readonly number[]): number[] =>
  [...new Set([...a, ...b])].sort((x, y) => x - y);
