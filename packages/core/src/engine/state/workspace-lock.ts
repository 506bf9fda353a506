import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { Plan, PlanNode } from '../../plan/plan.ts';
import type { ActivationPart } from '../records/activation-events.ts';
import type { Event } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { DecisionContext } from './decision-context.ts';
import { locateActivation, runOf } from './lookup.ts';
import type { Draft, StateView } from './state.ts';

/*
 * The workspace of a graph has a lock: over all workers, one activation at a time uses it, and each one continues with the
 * files that the one before it has left. An activation that becomes ready while another one holds the lock is held: it is
 * live, but no worker is woken for it. The commit that frees the lock gives it to the activation that has been held
 * longest. A fan-out holds the lock as a whole, and its units need none. An activation that waits for a person releases
 * the lock and requests it again when it has the answer; one that failed keeps it for its retry.
 */

type WorkspaceUser = Pick<ActivationRecord, 'scope' | 'node' | 'part' | 'unit'>;

/** Returns the workspace whose lock an activation needs; undefined when it needs none. */
export function workspaceFor(plan: Plan, state: StateView, record: WorkspaceUser): ScopeId | undefined {
  const { scope, frame, node } = locateActivation(plan, state, record);
  if (node === undefined || !usesWorkspace(node, record.part)) return undefined;
  // No other activation in the graph is executing, although parked ones may hold the lock.
  if (record.part === 'exit') return undefined;
  // The fan-out holds the lock for all of its units.
  if (record.unit !== undefined && (scope.type === 'map' || scope.type === 'tree')) return undefined;
  return frame;
}

/**
 * Returns whether this part of a node may use files. Calling a graph does not; opening a fan-out takes the lock for its units.
 */
export const usesWorkspace = (node: PlanNode, part: ActivationPart): boolean =>
  node.usesWorkspace &&
  part !== 'join' &&
  (part === 'close' || node.graph === undefined || (part === 'open' && node.fanOut !== undefined));

/** Returns the event that makes an activation ready, with `held` if the lock that it needs is taken. */
export function holdForWorkspace(plan: Plan, draft: Draft, event: Event): Event {
  const wakes =
    event.type === 'activation.ready' || event.type === 'activation.answered' || event.type === 'activation.renewed';
  if (!wakes) return event;
  const activation = event.type === 'activation.ready' ? event : draft.get(`activation/${event.activation}`);
  const frame = activation === undefined ? undefined : workspaceFor(plan, draft, activation);
  return frame === undefined || draft.get(`lock/${frame}`) === undefined ? event : { ...event, held: true };
}

/** Takes the lock, or queues for it, as the event says that made the activation ready. */
export function lockWorkspace(draft: Draft, at: { frame: ScopeId; activation: ActivationId; held: boolean }): void {
  if (at.held) draft.append(`lock-queue/${at.frame}`, [at.activation]);
  else draft.set(`lock/${at.frame}`, at.activation);
}

/** Frees the lock, if `holder` has it. */
export function unlockWorkspace(draft: Draft, frame: ScopeId, holder: ActivationId | ScopeId): void {
  if (draft.get(`lock/${frame}`) === holder) draft.delete(`lock/${frame}`);
}

/** Frees the lock that an activation holds, or removes the activation from the queue for it. */
export function leaveWorkspaceQueue(draft: Draft, frame: ScopeId, activation: ActivationId): void {
  unlockWorkspace(draft, frame, activation);
  const queue = draft.list(`lock-queue/${frame}`);
  if (!queue.includes(activation)) return;
  draft.trim(`lock-queue/${frame}`, 0);
  draft.append(
    `lock-queue/${frame}`,
    queue.filter((one) => one !== activation),
  );
}

/** Admits the activation that has been held longest, if the lock is free. */
export function admitNextToWorkspace({ draft, emit, nonce }: DecisionContext, frame: ScopeId): void {
  if (draft.get(`lock/${frame}`) !== undefined || runOf(draft).status !== 'running') return;
  const [activation] = draft.list(`lock-queue/${frame}`);
  if (activation !== undefined) emit({ type: 'activation.admitted', activation, token: nonce });
}
