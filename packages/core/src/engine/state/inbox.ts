import type { ScopeId } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { GraphPlan, PlanEdge, PlanNode } from '../../plan/plan.ts';
import type { JoinedDelivery } from '../records/fan-out-records.ts';
import type { PendingKey } from '../records/keys.ts';
import type { InboxEntry, PendingEntry } from '../records/records.ts';
import { appendReference, countMessages, dropMessages, inboxMessages, trimMessages } from './joined-messages.ts';
import { runOf } from './lookup.ts';
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
  const kept = inboxMessages(state, `kept/${frame}/${node}`);
  const recent = inboxMessages(state, `recent/${frame}/${node}`);
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
  const kept = countMessages(draft, `kept/${frame}/${node.id}`);
  trimMessages(draft, `recent/${frame}/${node.id}`, Math.max(0, node.contextWindow - kept));
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
  const at = { frame, node: to.node.id };
  const triggered: number[] = [];
  for (const entry of inOrder(pending)) {
    const { edge, delivery } = entry;
    if (delivery !== undefined) {
      receiveDelivery(draft, at, delivery);
      for (const fired of delivery.fired) triggered.push(fired);
    } else if (receive(draft, at, { entry, edge: graph.edges[edge] })) triggered.push(edge);
  }
  draft.trim(key, 0);
  return triggered;
}

/** Receives one delivery. Returns whether it triggers the node. */
function receive(
  draft: Draft,
  at: { frame: ScopeId; node: string },
  { entry, edge }: { entry: PendingEntry; edge: PlanEdge | undefined },
): boolean {
  if (edge?.clearContext) dropMessages(draft, `recent/${at.frame}/${at.node}`);
  if (edge?.clearKeptContext) dropMessages(draft, `kept/${at.frame}/${at.node}`);
  const { message, dropped } = entry;
  if (dropped) return false;
  if (message !== undefined) appendToInbox(draft, at, edge?.dynamic ? { dynamic: true, ...message } : message);
  return edge?.trigger === true;
}

/** Receives the messages of a large fan-out, which stay in their lists. */
export function receiveDelivery(
  draft: Draft,
  to: { frame: ScopeId; node: string },
  { recent, kept, count, clears, clearsKept }: JoinedDelivery,
): void {
  const recentKey = `recent/${to.frame}/${to.node}` as const;
  const keptKey = `kept/${to.frame}/${to.node}` as const;
  if (clears) dropMessages(draft, recentKey);
  if (clearsKept) dropMessages(draft, keptKey);
  const run = runOf(draft);
  draft.set('run', { ...run, nextArrival: run.nextArrival + count });
  if (recent !== undefined) appendReference(draft, recentKey, { n: run.nextArrival, joined: recent });
  if (kept !== undefined) appendReference(draft, keptKey, { n: run.nextArrival, joined: kept });
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
