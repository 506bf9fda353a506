import type { ActivationId, ScopeId } from '../../model/ids.ts';
import type { Plan, PlanNode } from '../../plan/plan.ts';
import type { ActivationPart, Event } from '../records/event.ts';
import type { ActivationRecord } from '../records/records.ts';
import type { DecisionContext } from './decision-context.ts';
import { locateActivation, runOf } from './lookup.ts';
import type { Draft, StateView } from './state.ts';

/*
 * Activations that use the workspace of one graph take turns, over all workers: each works on what the one before it has
 * left. An activation that becomes ready while another one has the turn is held: it is live, but nobody is woken for it.
 * When the turn is free again it passes to the one that has been held longest, in the commit that frees it. A fan-out has
 * the turn as a whole, and its units need none. Whoever waits for a person gives the turn away, and needs a new one when
 * the answer is there; one that failed keeps it for its retry.
 */

type WorkspaceUser = Pick<ActivationRecord, 'scope' | 'node' | 'part' | 'unit'>;

/** The workspace that an activation needs a turn at; undefined when it needs none. */
export function workspaceFor(plan: Plan, state: StateView, record: WorkspaceUser): ScopeId | undefined {
  const { scope, frame, node } = locateActivation(plan, state, record);
  if (node === undefined || !usesWorkspace(node, record.part)) return undefined;
  // Nothing else in the graph is at work when that is, though parked ones may have the turn.
  if (record.part === 'exit') return undefined;
  // The fan-out has the turn for all of its units.
  if (record.unit !== undefined && (scope.type === 'map' || scope.type === 'tree')) return undefined;
  return frame;
}

/** Whether this part of a node may use files. Calling a graph does not; opening a fan-out gets its units their turn. */
export const usesWorkspace = (node: PlanNode, part: ActivationPart): boolean =>
  node.usesWorkspace &&
  (part === 'close' || node.graph === undefined || (part === 'open' && node.fanOut !== undefined));

/** The event that makes an activation ready, with `held` where somebody else has the turn that it needs. */
export function holdForWorkspace(plan: Plan, draft: Draft, event: Event): Event {
  const wakes =
    event.type === 'activation.ready' || event.type === 'activation.answered' || event.type === 'activation.renewed';
  if (!wakes) return event;
  const place = event.type === 'activation.ready' ? event : draft.get(`activation/${event.activation}`);
  const frame = place === undefined ? undefined : workspaceFor(plan, draft, place);
  return frame === undefined || draft.get(`turn/${frame}`) === undefined ? event : { ...event, held: true };
}

/** Takes the turn, or stands in line for it, as the event says that made the activation ready. */
export function lockWorkspace(draft: Draft, at: { frame: ScopeId; activation: ActivationId; held: boolean }): void {
  if (at.held) draft.append(`turns/${at.frame}`, [at.activation]);
  else draft.set(`turn/${at.frame}`, at.activation);
}

/** Gives the turn away, if this is who has it. */
export function unlockWorkspace(draft: Draft, frame: ScopeId, holder: ActivationId | ScopeId): void {
  if (draft.get(`turn/${frame}`) === holder) draft.delete(`turn/${frame}`);
}

/** Gives up the turn, or the place in line for it. */
export function leaveWorkspaceQueue(draft: Draft, frame: ScopeId, activation: ActivationId): void {
  unlockWorkspace(draft, frame, activation);
  const line = draft.list(`turns/${frame}`);
  if (!line.includes(activation)) return;
  draft.trim(`turns/${frame}`, 0);
  draft.append(
    `turns/${frame}`,
    line.filter((one) => one !== activation),
  );
}

/** Lets the one work that has been held longest, if nobody has the turn. */
export function admitNextToWorkspace({ draft, emit, nonce }: DecisionContext, frame: ScopeId): void {
  if (draft.get(`turn/${frame}`) !== undefined || runOf(draft).status !== 'running') return;
  const [activation] = draft.list(`turns/${frame}`);
  if (activation !== undefined) emit({ type: 'activation.admitted', activation, token: nonce });
}
