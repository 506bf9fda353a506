import type { ScopeId } from '../../model/ids.ts';
import type { GraphPlan, PlanScope } from '../../plan/plan.ts';
import type { Event } from '../records/event.ts';
import type { CycleScope, PendingEntry } from '../records/records.ts';
import { selfEdge } from '../records/route.ts';
import type { Fold } from '../state/fold.ts';
import { appendPending } from '../state/inbox.ts';
import { dropMessages, dropPending } from '../state/joined-messages.ts';
import { frameOf, graphOf, locateActivation, nodeOf, runOf, scopeOf } from '../state/lookup.ts';
import type { Draft } from '../state/state.ts';
import { scopesWithin } from '../state/stopping-region.ts';
import { leaveWorkspaceQueue, unlockWorkspace } from '../state/workspace-lock.ts';
import { retire } from './evolve-activation.ts';
import { leaveBudgetQueue } from './evolve-budget.ts';
import { completeNode, triggerNode } from './scopes/complete-node.ts';
import { dropStoredUnits } from './scopes/evolve-fan-out.ts';
import { deleteFrame, itemRecordOf } from './scopes/evolve-graph.ts';
import { deleteUnits } from './scopes/evolve-join.ts';
import { endTermination } from './scopes/evolve-termination.ts';

/*
 * A scope inside a run stops in three steps. `scope.stopping` removes the pending messages between its nodes and triggers
 * the nodes that come after it; those wait for all of its nodes, because the plan has edges from each of them. Activations
 * that are executing settle late, without routes, or are dropped with everything that they have opened. When nothing in
 * the scope is executing any more, `scope.stopped` ends it, or a graph is left with its last result.
 */

type HaltEvent = Extract<Event, { type: 'scope.stopping' | 'scope.stopped' | 'scope.dropped' | 'activation.dropped' }>;
type Of<T extends HaltEvent['type']> = Extract<HaltEvent, { type: T }>;

/** Folds an event of a scope that stops. */
export function evolveHalt(fold: Fold, event: HaltEvent): void {
  switch (event.type) {
    case 'scope.stopping':
      return stopping(fold, event);
    case 'scope.stopped':
      return endTermination(fold.draft, event);
    case 'scope.dropped':
      return dropped(fold, event);
    case 'activation.dropped':
      return activationDropped(fold, event);
  }
}

function stopping(fold: Fold, event: Of<'scope.stopping'>): void {
  const { draft, plan } = fold;
  const { scope, name, stop } = event;
  const key = `termination/${scope}/${name}` as const;
  const record = draft.get(key);
  const run = runOf(draft);
  const isFirst = record?.stop === undefined;
  if (record !== undefined) draft.set(key, { ...record, stop });
  if (!isFirst) return;
  draft.set('run', { ...run, halting: [...(run.halting ?? []), { scope, name }] });
  const graph = graphOf(plan, scopeOf(draft, scope));
  const named = graph.scopes.find(({ id }) => id === name);
  if (named === undefined) return;
  for (const at of levelsOf(draft, scope)) removeInnerPending(draft, { graph, frame: scope, at }, named);
  sendStopMessages(fold, { graph, frame: scope, at: scope }, { named, event });
}

interface FrameLevel {
  readonly graph: GraphPlan;
  readonly frame: ScopeId;
  /** The frame itself, or one of its cycles. */
  readonly at: ScopeId;
}

/** Returns the scopes in which nodes of a frame settle: the frame itself and its cycles. */
const levelsOf = (draft: Draft, frame: ScopeId): readonly ScopeId[] =>
  [...draft.keys('scope/')].flatMap((key) => {
    const id = key.slice('scope/'.length) as ScopeId; // the key's form
    const record = scopeOf(draft, id);
    return (record.type === 'graph' || record.type === 'cycle') && frameOf(record, id) === frame ? [id] : [];
  });

/** Removes pending messages between the nodes of a scope. */
function removeInnerPending(draft: Draft, { graph, frame, at }: FrameLevel, { members }: PlanScope): void {
  const isInner = (index: number) => {
    const edge = graph.edges[index];
    return edge !== undefined && members.has(edge.from) && members.has(edge.to);
  };
  for (const member of members) {
    const key = `pending/${at}/${frame}/${nodeOf(graph, member).id}` as const;
    const before = draft.size(key);
    const kept = dropPending(draft, key, ({ edge }) => edge !== selfEdge && isInner(edge));
    if (kept.length === before) continue;
    if (at === frame) refreshTrigger(draft, { graph, frame, at }, { member, kept });
  }
  const fired = draft.get(`fired/${at}`);
  const left = fired?.filter((edge) => !isInner(edge));
  if (left !== undefined) draft.set(`fired/${at}`, left);
  const scope = scopeOf(draft, at);
  if (scope.type === 'cycle' && scope.exits.some((target) => members.has(target)))
    draft.set(`scope/${at}`, { ...scope, exits: scope.exits.filter((target) => !members.has(target)) });
}

/** Recomputes whether an item that waits is triggered by its remaining messages. */
function refreshTrigger(
  draft: Draft,
  { graph, frame }: FrameLevel,
  { member, kept }: { readonly member: number; readonly kept: readonly PendingEntry[] },
): void {
  const index = graph.itemOf[member] ?? 0;
  const item = itemRecordOf(draft, { id: frame, graph }, index);
  const isTriggered = kept.some((entry) => graph.edges[entry.edge]?.trigger && !entry.dropped);
  if (isTriggered || !item.triggered.includes(member)) return;
  draft.set(`item/${frame}/${index}`, { ...item, triggered: item.triggered.filter((node) => node !== member) });
}

/** Sends the stop message to the nodes that come after a scope. */
function sendStopMessages(
  fold: Fold,
  { graph, frame }: FrameLevel,
  { named, event }: { readonly named: PlanScope; readonly event: Of<'scope.stopping'> },
): void {
  const { draft } = fold;
  const at = innermostScopeOf(draft, { graph, frame, at: frame }, named);
  const scope = scopeOf(draft, at);
  const cycle = scope.type === 'cycle' ? scope : undefined;
  const from = event.node ?? cycle?.dispatched.find((node) => named.members.has(node)) ?? [...named.members][0] ?? 0;
  for (const to of named.termination?.exitTo ?? []) {
    const edge = graph.edges.find((one) => one.exit && one.from === from && one.to === to);
    if (edge === undefined) continue;
    for (const message of event.messages) {
      const position = cycle === undefined ? (graph.itemOf[from] ?? 0) : from;
      appendPending(draft, `pending/${at}/${frame}/${nodeOf(graph, to).id}`, {
        from: position,
        edge: edge.index,
        message,
      });
    }
    triggerNode(fold, at, to);
  }
}

/** Returns the innermost cycle that has nodes of a scope among its members, or the frame. */
function innermostScopeOf(draft: Draft, { frame }: FrameLevel, { members }: PlanScope): ScopeId {
  const cycles = levelsOf(draft, frame).flatMap((id): { id: ScopeId; cycle: CycleScope }[] => {
    const cycle = scopeOf(draft, id);
    return cycle.type === 'cycle' && cycle.members.some((node) => members.has(node)) ? [{ id, cycle }] : [];
  });
  return cycles.sort((a, b) => a.cycle.members.length - b.cycle.members.length)[0]?.id ?? frame;
}

function activationDropped(fold: Fold, { activation, inner }: Of<'activation.dropped'>): void {
  const { plan, draft } = fold;
  const record = draft.get(`activation/${activation}`);
  if (record === undefined) return;
  const { graph, frame, node } = locateActivation(plan, draft, record);
  leaveWorkspaceQueue(draft, frame, activation);
  leaveBudgetQueue(draft, activation);
  retire(draft, activation);
  dropStoredUnits(draft, record);
  if (record.part === 'exit') return;
  if (record.from !== undefined) dropMessages(draft, record.from);
  if (inner || node === undefined) return;
  completeNode(fold, { scopeId: record.scope, graph, frame, node }, { outputs: [], routes: [] });
}

/**
 * Removes a graph or fan-out that a node has opened, with everything inside, and completes the node without a result.
 */
function dropped(fold: Fold, { scope: id }: Of<'scope.dropped'>): void {
  const { plan, draft } = fold;
  const scope = scopeOf(draft, id);
  const opener =
    scope.type === 'graph'
      ? scope.caller
      : scope.type === 'cycle'
        ? undefined
        : { scope: scope.parent, node: scope.node };
  unlockWorkspace(draft, frameOf(scope, id), id);
  deleteScopesWithin(fold, id);
  if (opener === undefined) return;
  const { graph, frame, node } = locateActivation(plan, draft, opener);
  if (node !== undefined)
    completeNode(fold, { scopeId: opener.scope, graph, frame, node }, { outputs: [], routes: [] });
}

/** Removes a scope and all scopes inside it, in which no activation is left; with `but`, only those inside. */
export function deleteScopesWithin({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, root: ScopeId, but?: 'itself'): void {
  const ids = scopesWithin(draft, root).filter((id) => but === undefined || id !== root);
  for (const id of ids) deleteScope({ plan, draft }, id);
}

function deleteScope({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, id: ScopeId): void {
  const scope = draft.get(`scope/${id}`);
  if (scope === undefined) return;
  const graph = graphOf(plan, scope);
  if (scope.type === 'graph') return deleteFrame({ plan, draft }, id);
  for (const node of graph.nodes) dropPending(draft, `pending/${id}/${scope.frame}/${node.id}`);
  if (scope.type === 'cycle') draft.delete(`fired/${id}`);
  else deleteUnits({ plan, draft }, id, scope);
  draft.delete(`scope/${id}`);
}
