import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { GraphPlan, PlanNode } from '../../plan/plan.ts';
import type { PendingKey } from '../records/keys.ts';
import type { InboxEntry, PendingEntry } from '../records/records.ts';
import type { Draft, StateView } from './state.ts';

/*
 * The inbox of a node holds the messages that wait for it and those that it keeps, in two lists, so that clearing one
 * kind of message never rewrites the other. `kept` holds the messages marked keep, `recent` all others; `n` orders them
 * over both lists. Deliveries of nodes whose siblings are still executing wait in a pending list of the scope that they
 * share, and are applied in the order of the siblings' positions, so nothing depends on which one finished first.
 */

/** A graph and one execution of it. */
export interface NodeFrame {
  readonly graph: GraphPlan;
  readonly frame: ScopeId;
}

/** Returns all messages in the inbox of a node, oldest first. */
export function inboxOf(state: StateView, frame: ScopeId, node: string): readonly InboxEntry[] {
  const kept = state.list(`kept/${frame}/${node}`);
  const recent = state.list(`recent/${frame}/${node}`);
  if (kept.length === 0) return recent;
  if (recent.length === 0) return kept;
  return [...kept, ...recent].sort((a, b) => a.n - b.n);
}

/** Appends a message to the inbox of a node. */
export function appendToInbox(
  draft: Draft,
  to: { frame: ScopeId; node: string },
  message: MessageRef & { dynamic?: true },
): void {
  const run = draft.get('run');
  if (run === undefined) throw new Error('a message arrived before its run started');
  draft.set('run', { ...run, nextArrival: run.nextArrival + 1 });
  const list = message.keep ? 'kept' : 'recent';
  draft.append(`${list}/${to.frame}/${to.node}`, [{ n: run.nextArrival, ...message }]);
}

/** Removes messages beyond the context window; done once after each execution of the node. */
export function trimInbox(draft: Draft, frame: ScopeId, node: PlanNode): void {
  if (node.contextWindow < 0) return;
  const kept = draft.size(`kept/${frame}/${node.id}`);
  draft.trim(`recent/${frame}/${node.id}`, Math.max(0, node.contextWindow - kept));
}

/** Adds a delivery that waits for the source's siblings. */
export function appendPending(draft: Draft, key: PendingKey, entry: PendingEntry): void {
  draft.append(key, [entry]);
}

/**
 * Applies the pending deliveries of a node: clears contexts as the edges say, then appends. Returns the edges that
 * triggered the node.
 */
export function applyPending(
  draft: Draft,
  { graph, frame }: NodeFrame,
  to: { scope: ScopeId; node: PlanNode },
): readonly number[] {
  const key: PendingKey = `pending/${to.scope}/${frame}/${to.node.id}`;
  const pending = draft.list(key);
  if (pending.length === 0) return [];
  const triggered: number[] = [];
  const id = to.node.id;
  for (const entry of inOrder(pending)) {
    const edge = graph.edges[entry.edge];
    if (edge?.clearContext) draft.trim(`recent/${frame}/${id}`, 0);
    if (edge?.clearKeptContext) draft.trim(`kept/${frame}/${id}`, 0);
    if (entry.dropped) continue;
    if (entry.message !== undefined) {
      appendToInbox(draft, { frame, node: id }, edge?.dynamic ? { dynamic: true, ...entry.message } : entry.message);
    }
    if (edge?.trigger) triggered.push(edge.index);
  }
  draft.trim(key, 0);
  return triggered;
}

/** Forwards deliveries that leave a cycle to the enclosing scope, where they all count as the cycle's own. */
export function forwardPending(
  draft: Draft,
  at: { frame: ScopeId; node: string },
  cycle: { id: ScopeId; parent: ScopeId; item: number },
): void {
  const key: PendingKey = `pending/${cycle.id}/${at.frame}/${at.node}`;
  for (const entry of inOrder(draft.list(key))) {
    appendPending(draft, `pending/${cycle.parent}/${at.frame}/${at.node}`, { ...entry, from: cycle.item });
  }
  draft.trim(key, 0);
}

function inOrder(entries: readonly PendingEntry[]): readonly PendingEntry[] {
  const sorted = entries.every((entry, at) => at === 0 || (entries[at - 1]?.from ?? 0) <= entry.from);
  return sorted ? entries : [...entries].sort((a, b) => a.from - b.from);
}
