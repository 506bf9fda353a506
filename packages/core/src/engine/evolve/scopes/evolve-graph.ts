import type { ScopeId } from '../../../model/ids.ts';
import type { GraphPlan, Plan, PlanNode } from '../../../plan/plan.ts';
import type { Event } from '../../records/event.ts';
import type { GraphScope, ItemRecord } from '../../records/records.ts';
import type { GraphCaller, Preset } from '../../records/scope-events.ts';
import type { Fold } from '../../state/fold.ts';
import { appendToInbox, applyPending } from '../../state/inbox.ts';
import { dropMessages, dropPending } from '../../state/joined-messages.ts';
import { frameOf, graphOf, nodeOf, runOf, scopeOf } from '../../state/lookup.ts';
import type { Draft, StateView } from '../../state/state.ts';
import { beginTermination, countRunningNodes, endTermination } from './evolve-termination.ts';

type GraphEvent = Extract<Event, { type: 'graph.entered' | 'graph.left' | 'items.skipped' }>;

/** Folds the events of one execution of a graph. */
export function evolveGraph(fold: Fold, event: GraphEvent): void {
  switch (event.type) {
    case 'graph.entered':
      return entered(fold, event);
    case 'graph.left':
      return left(fold, event);
    case 'items.skipped':
      for (const item of event.items) {
        shiftDueItem(fold.draft, event.scope);
        settleSuccessors(fold, event.scope, item);
      }
  }
}

function entered(fold: Fold, event: Extract<Event, { type: 'graph.entered' }>): void {
  const { plan, draft } = fold;
  const run = runOf(draft);
  const isAgain = draft.get(`scope/${event.scope}`) !== undefined;
  const scope: GraphScope = {
    type: 'graph',
    graph: event.graph,
    live: 0,
    ...(event.caller === undefined ? {} : { caller: event.caller }),
  };
  draft.set('run', { ...run, nextScope: run.nextScope + 1 });
  draft.set(`scope/${event.scope}`, scope);
  const graph = graphOf(plan, scope);
  if (isAgain) deleteOutputs(draft, graph, event.scope);
  if (graph.termination !== undefined) beginTermination(fold, { scope: event.scope, name: '' });
  if (event.caller !== undefined) restorePersistentState(fold, event.scope, event.caller);
  for (const preset of event.presets)
    applyPreset(
      draft,
      { frame: event.scope, called: event.caller !== undefined, id: nodeOf(graph, preset.node).id },
      preset,
    );
  if (!graph.voting) {
    const due = graph.items.flatMap((item) => (item.predecessors === 0 ? [item.index] : []));
    draft.append(`due/${event.scope}`, due);
  }
  // Voting ignores edges and start nodes: all nodes get the task.
  const starts = graph.voting ? graph.nodes.map((node) => node.index) : graph.start;
  for (const start of starts) {
    const { id } = nodeOf(graph, start);
    for (const message of event.task) appendToInbox(draft, { frame: event.scope, node: id }, message);
  }
}

/** Removes the outputs of an earlier task from the root graph, so that they are no results of the next task. */
function deleteOutputs(draft: Draft, graph: GraphPlan, frame: ScopeId): void {
  if (graph.voting) draft.delete(`node/${frame}/`);
  for (const { id } of graph.nodes) {
    const key = `node/${frame}/${id}` as const;
    const { runs = 0 } = draft.get(key) ?? {};
    // In a voting graph, the presence of this record says that the node has voted.
    if (graph.voting || runs === 0) draft.delete(key);
    else draft.set(key, { runs });
  }
}

/** Gives a node the messages that it starts with, besides the task. */
function applyPreset(
  draft: Draft,
  at: { frame: ScopeId; called: boolean; id: string },
  { at: side, messages }: Preset,
): void {
  const { frame, id } = at;
  if (side === 'input') {
    for (const message of messages) appendToInbox(draft, { frame, node: id }, message);
    return;
  }
  const last = messages.at(-1);
  if (last !== undefined) draft.set(`node/${frame}/${id}`, { runs: 0, last });
  if (at.called) draft.append(`outputs/${frame}/${id}`, messages);
}

/** Removes a finished call, except the outputs that its caller reads. */
function left({ plan, draft }: Fold, { scope: id, stopped, last }: Extract<Event, { type: 'graph.left' }>): void {
  const scope = scopeOf(draft, id);
  const graph = graphOf(plan, scope);
  const final = finalNodeOf(draft, graph, id);
  if (scope.type === 'graph' && scope.caller !== undefined) savePersistentState({ plan, draft }, id, scope.caller);
  if (last !== undefined) draft.append(`outputs/${id}/`, [last]);
  deleteFrame({ plan, draft }, id, stopped ? undefined : final);
}

/** Removes everything that is stored of an execution of a graph, except the outputs of the node `final`. */
export function deleteFrame({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, id: ScopeId, final?: PlanNode): void {
  const graph = graphOf(plan, scopeOf(draft, id));
  for (const node of graph.nodes) {
    if (node !== final) dropMessages(draft, `outputs/${id}/${node.id}`);
    draft.delete(`node/${id}/${node.id}`);
    dropMessages(draft, `kept/${id}/${node.id}`);
    dropMessages(draft, `recent/${id}/${node.id}`);
    dropPending(draft, `pending/${id}/${id}/${node.id}`);
    if (node.state !== undefined) draft.delete(`${node.state}/${id}/${node.id}`);
    if (persistentNodeIn(plan, node) !== undefined) draft.delete(`lasting/${id}/${node.id}`);
  }
  for (const item of graph.items) draft.delete(`item/${id}/${item.index}`);
  draft.trim(`files/${id}`, 0);
  draft.trim(`lock-queue/${id}`, 0);
  draft.delete(`lock/${id}`);
  draft.trim(`due/${id}`, 0);
  draft.trim(`exits/${id}`, 0);
  draft.delete(`scope/${id}`);
  if (graph.termination !== undefined) endTermination(draft, { scope: id, name: '' });
  for (const { id: name } of graph.scopes) endTermination(draft, { scope: id, name });
}

/** Returns the node whose output is the graph's: the first of its finals that has an output. */
export const finalNodeOf = (state: StateView, graph: GraphPlan, frame: ScopeId): PlanNode | undefined =>
  graph.finals
    .map((index) => nodeOf(graph, index))
    .find((node) => state.get(`node/${frame}/${node.id}`)?.last !== undefined);

/** Removes the head of the due list. */
export const shiftDueItem = (draft: Draft, id: ScopeId): void => draft.trim(`due/${id}`, draft.size(`due/${id}`) - 1);

/** Folds the dispatch of a node outside of cycles: the node receives its pending deliveries. */
export function dispatchInGraph(fold: Fold, due: { id: ScopeId; scope: GraphScope; node: number }): void {
  const { plan, draft } = fold;
  draft.set(`scope/${due.id}`, { ...due.scope, live: due.scope.live + 1 });
  const graph = graphOf(plan, due.scope);
  countRunningNodes(fold, { graph, frame: due.id, node: due.node }, 1);
  if (graph.voting || due.node < 0) return;
  applyPending(draft, { graph, frame: due.id }, { scope: due.id, node: nodeOf(graph, due.node) });
  draft.delete(`item/${due.id}/${graph.itemOf[due.node] ?? 0}`);
  shiftDueItem(draft, due.id);
}

/** Records that an edge triggered a node of an item that is not due yet. */
export function triggerItem({ draft }: Fold, scope: { id: ScopeId; graph: GraphPlan }, node: number): void {
  const index = scope.graph.itemOf[node] ?? 0;
  const record = itemRecordOf(draft, scope, index);
  if (!record.triggered.includes(node)) {
    draft.set(`item/${scope.id}/${index}`, { ...record, triggered: [...record.triggered, node] });
  }
}

/** Settles an item that was executing. */
export function settleItem(fold: Fold, id: ScopeId, item: number): void {
  const scope = scopeOf(fold.draft, id);
  if (scope.type !== 'graph') throw new Error(`scope ${id} is not a graph`);
  fold.draft.set(`scope/${id}`, { ...scope, live: scope.live - 1 });
  settleSuccessors(fold, id, item);
}

function settleSuccessors({ plan, draft }: Fold, id: ScopeId, item: number): void {
  const graph = graphOf(plan, scopeOf(draft, id));
  draft.delete(`item/${id}/${item}`);
  for (const successor of graph.items[item]?.successors ?? []) {
    const record = itemRecordOf(draft, { id, graph }, successor);
    draft.set(`item/${id}/${successor}`, { ...record, remaining: record.remaining - 1 });
    if (record.remaining === 1) draft.append(`due/${id}`, [successor]);
  }
}

/** Returns the record of an item that still waits. */
export function itemRecordOf(
  draft: StateView,
  { id, graph }: { id: ScopeId; graph: GraphPlan },
  index: number,
): ItemRecord {
  return draft.get(`item/${id}/${index}`) ?? { remaining: graph.items[index]?.predecessors ?? 0, triggered: [] };
}

/*
 * A node inside a graph may keep its state from one call of the graph to the next, as the controller of a boss with a
 * persistent memory does. Between calls, the state is stored with the calling node, in the enclosing frame. Calls of one
 * node in a frame run one after the other, units of a fan-out included, so the state at the start of a call does not
 * depend on timing.
 */

/** Returns the node in the graph of this one whose state persists over calls, if there is one. */
export const persistentNodeIn = (plan: Plan, { graph }: PlanNode): PlanNode | undefined =>
  graph === undefined ? undefined : plan.graphs.get(graph)?.nodes.find(({ lasting }) => lasting);

/** Copies the state that the last call has saved into a new call. */
function restorePersistentState({ plan, draft }: Fold, frame: ScopeId, caller: GraphCaller): void {
  const { key, inner } = persistentStateOf({ plan, draft }, caller);
  const kept = inner === undefined ? undefined : draft.get(key);
  if (inner?.state !== undefined && kept !== undefined) draft.set(`${inner.state}/${frame}/${inner.id}`, kept);
}

/** Saves the state of a call for the next one. */
function savePersistentState({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, frame: ScopeId, caller: GraphCaller): void {
  const { key, inner } = persistentStateOf({ plan, draft }, caller);
  const state = inner?.state === undefined ? undefined : draft.get(`${inner.state}/${frame}/${inner.id}`);
  if (state !== undefined) draft.set(key, state);
}

function persistentStateOf({ plan, draft }: Pick<Fold, 'plan' | 'draft'>, caller: GraphCaller) {
  const scope = scopeOf(draft, caller.scope);
  const node = nodeOf(graphOf(plan, scope), caller.node);
  return { key: `lasting/${frameOf(scope, caller.scope)}/${node.id}` as const, inner: persistentNodeIn(plan, node) };
}
