import type { ScopeId } from '../../model/ids.ts';
import type { GraphPlan } from '../../plan/plan.ts';
import type { SweepMember } from '../../plan/sweep.ts';
import { sweepOf } from '../../plan/sweep.ts';
import { cycleOf } from '../evolve/scopes/evolve-cycle.ts';
import type { CycleScope } from '../records/records.ts';
import type { DecisionContext } from '../state/decision-context.ts';
import { nextScope, readyActivation } from '../state/decision-context.ts';
import { graphOf, nodeOf, scopeOf } from '../state/lookup.ts';
import { enterScopes, mustWaitForScope } from '../termination/enter-scopes.ts';

/** A cycle to enter, and the node at which it is entered. */
export interface CycleEntry {
  readonly parent: ScopeId;
  readonly item: number;
  readonly members: readonly number[];
  readonly entry: number;
  /** The level of the parent, if that is a cycle, too. */
  readonly level?: number;
}

/** Enters a cycle; its entry node runs whatever triggered it. */
export function enterCycle(context: DecisionContext, entering: CycleEntry): void {
  const { draft, plan, emit } = context;
  const scope = nextScope(draft);
  const graph = graphOf(plan, scopeOf(draft, entering.parent));
  emit({ type: 'cycle.entered', scope, ...entering, limit: iterationLimitOf(graph, entering.members) });
  advanceCycle(context, scope);
}

/**
 * Returns the iteration limit of a cycle; null for none. A cycle that something else ends has no limit: a loop node
 * with an edge out of the cycle, a person in it, or a termination that covers it. The innermost enclosing scope that
 * sets `max_iterations` decides.
 */
function iterationLimitOf(graph: GraphPlan, members: readonly number[]): number | null {
  const enclosing = graph.scopes.filter((scope) => members.every((member) => scope.members.has(member)));
  const own = enclosing.find(({ maxIterations }) => maxIterations !== undefined)?.maxIterations;
  if (own !== undefined && own !== null) return own;
  if (graph.capsGuarded) return graph.maxIterations;
  if (own === null || graph.termination !== undefined || enclosing.some(({ termination }) => termination !== undefined))
    return null;
  const guarded = members.some((index) => {
    const node = nodeOf(graph, index);
    const leadsOut = node.out.some((at) => {
      const edge = graph.edges[at];
      return edge?.trigger && !edge.exit && !members.includes(edge.to);
    });
    return node.waits || (node.guard && leadsOut);
  });
  return guarded ? null : graph.maxIterations;
}

/** Continues a cycle that is between two levels. Returns the enclosing scope when the cycle is left. */
export function advanceCycle(context: DecisionContext, id: ScopeId): ScopeId | undefined {
  const { draft, plan, emit } = context;
  for (;;) {
    const scope = cycleOf(draft, id);
    if (scope.live > 0) return undefined;
    if (scope.dispatched.length > 0) {
      emit({ type: 'cycle.advanced', scope: id });
      continue;
    }
    if (scope.exits.length > 0) return leave(context, id, 'exit');
    const graph = graphOf(plan, scope);
    const started = dispatchNextLevel(context, { id, graph, scope });
    if (started === 'held') return undefined;
    if (started) continue;
    const end = nextSweep(context, { id, graph, scope });
    if (end !== undefined) return leave(context, id, end);
  }
}

interface CycleInFrame {
  readonly id: ScopeId;
  readonly graph: GraphPlan;
  readonly scope: CycleScope;
}

function leave({ draft, emit }: DecisionContext, id: ScopeId, reason: 'exit' | 'ended' | 'limit'): ScopeId {
  const { parent } = cycleOf(draft, id);
  emit({ type: 'cycle.left', scope: id, reason });
  return parent;
}

/**
 * Dispatches the next level that has a triggered member; false if there is none; `held` if the level must wait or the
 * run fails.
 */
function dispatchNextLevel(context: DecisionContext, { id, graph, scope }: CycleInFrame): boolean | 'held' {
  const levels = sweepOf(graph, scope.members, scope.entry).levels(scope.roots);
  const fired = new Set(context.draft.get(`fired/${scope.outermost}`));
  for (let level = scope.level; level < levels.length; level++) {
    const due = (levels[level] ?? []).flatMap((member): DueMember[] => {
      const entries = entriesOf(graph, { fired, scope }, member);
      return entries.length > 0 ? [{ member, entries }] : [];
    });
    const conflicting = due.find(({ member, entries }) => member.inner && entries.length > 1);
    if (conflicting !== undefined) return conflict(context, graph, conflicting);
    const nodes = due.flatMap(({ member }) => member.nodes);
    if (mustWaitForScope(context.draft, { graph, frame: scope.frame }, nodes)) return 'held';
    for (const { member, entries } of due)
      dispatch(context, { id, level, member, entry: entries[0] ?? member.position });
    if (due.length > 0) return true;
  }
  return false;
}

interface DueMember {
  readonly member: SweepMember;
  readonly entries: readonly number[];
}

/**
 * Returns the nodes through which a member is due: itself, or the nodes of an inner cycle that edges from outside
 * triggered.
 */
function entriesOf(
  graph: GraphPlan,
  { fired, scope }: { fired: ReadonlySet<number>; scope: CycleScope },
  member: SweepMember,
): readonly number[] {
  const { told } = scope;
  if (told !== undefined && member.nodes.includes(told)) return [told];
  const isFirst = scope.iteration === 1 && member.nodes.includes(scope.entry);
  if (!member.inner) return isFirst || isTriggered(graph, fired, member.position) ? [member.position] : [];
  return member.nodes.filter((node) =>
    nodeOf(graph, node).in.some((edge) => fired.has(edge) && !member.nodes.includes(graph.edges[edge]?.from ?? -1)),
  );
}

const isTriggered = (graph: GraphPlan, fired: ReadonlySet<number>, node: number): boolean =>
  nodeOf(graph, node).in.some((edge) => fired.has(edge));

function dispatch(
  context: DecisionContext,
  at: { id: ScopeId; level: number; member: SweepMember; entry: number },
): void {
  const { draft, plan } = context;
  const { id, level, member, entry } = at;
  if (member.inner)
    return enterCycle(context, { parent: id, item: member.position, members: member.nodes, entry, level });
  const scope = cycleOf(draft, id);
  const enclosing = graphOf(plan, scope);
  enterScopes(context, { graph: enclosing, frame: scope.frame }, entry);
  const { fanOut, graph } = nodeOf(enclosing, entry);
  const part = fanOut !== undefined || graph !== undefined ? 'open' : 'whole';
  readyActivation(context, { scope: id, node: entry, part, level });
}

function conflict({ emit }: DecisionContext, graph: GraphPlan, { entries }: DueMember): 'held' {
  const names = entries.map((node) => `"${nodeOf(graph, node).id}"`).join(' and ');
  emit({
    type: 'run.failing',
    error: { code: 'CYCLE_ENTRIES', message: `An inner cycle was entered at ${names} at once.` },
  });
  return 'held';
}

/** Starts the next sweep if an edge has led back to the entry; otherwise returns how the cycle ends. */
function nextSweep(
  { draft, emit }: DecisionContext,
  { id, graph, scope }: CycleInFrame,
): 'ended' | 'limit' | undefined {
  const fired = new Set(draft.get(`fired/${scope.outermost}`));
  const back = nodeOf(graph, scope.entry).in.some(
    (edge) => fired.has(edge) && scope.members.includes(graph.edges[edge]?.from ?? -1),
  );
  if (!back) return 'ended';
  if (scope.limit !== null && scope.iteration >= scope.limit) return 'limit';
  const roots = scope.members.filter((node) => isTriggered(graph, fired, node));
  emit({ type: 'cycle.iterated', scope: id, iteration: scope.iteration + 1, roots });
  return undefined;
}
