import type { MessageRef } from '../../model/messages/message.ts';
import type { ActivationRecord } from '../records/activation-record.ts';
import type { Fold } from '../state/fold.ts';
import { appendToInbox, inboxOf } from '../state/inbox.ts';
import { locateActivation, scopeOf } from '../state/lookup.ts';
import type { StateView } from '../state/state.ts';

/** Returns the reason for which the input of an activation cannot be replaced; undefined when it can. */
export function inputObstacle(state: StateView, { scope: id, from, unit }: ActivationRecord): string | undefined {
  if (from !== undefined) return 'its input is what the activations inside it have put out';
  const scope = scopeOf(state, id);
  if (unit !== undefined && scope.type === 'tree') return 'it reduces the outputs of a group';
  return undefined;
}

/** Replaces the input of an activation that has not begun: the messages in its inbox, or the item of its unit. */
export function replaceInput(fold: Fold, record: ActivationRecord, input: readonly MessageRef[]): void {
  const { plan, draft } = fold;
  const { scope, frame, node } = locateActivation(plan, draft, record);
  if (record.unit !== undefined && scope.type === 'map') {
    const units = [...draft.list(`units/${record.scope}`)];
    for (const message of input.slice(0, 1)) units[record.unit] = message;
    draft.trim(`units/${record.scope}`, 0);
    draft.append(`units/${record.scope}`, units);
    return;
  }
  if (node === undefined) return;
  const isSplit = inboxOf(draft, frame, node.id).some(({ dynamic }) => dynamic === true);
  draft.trim(`kept/${frame}/${node.id}`, 0);
  draft.trim(`recent/${frame}/${node.id}`, 0);
  for (const message of input)
    appendToInbox(draft, { frame, node: node.id }, isSplit ? { ...message, dynamic: true } : message);
}
