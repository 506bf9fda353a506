import { rootScope } from '../../model/ids.ts';
import type { MessageRef } from '../../model/messages/message.ts';
import type { EventOf } from '../records/event.ts';
import type { Draft } from '../state/state.ts';

/** Events that no node has taken yet, oldest first. */
export const keptSignalsKey = `signals/${rootScope}` as const;
/** Events with an id that the run has accepted, oldest first. */
export const acceptedSignalsKey = `accepted/${rootScope}` as const;

/** Number of ids that a run remembers; of more, the oldest are forgotten. */
const maxAcceptedIds = 1000;

/** Folds the arrival of an event from outside: it is kept until a node takes it. */
export function evolveSignal(draft: Draft, { name, id, message, fields }: EventOf<'signal.received'>): void {
  draft.append(keptSignalsKey, [{ name, message, fields }]);
  if (id === undefined) return;
  draft.append(acceptedSignalsKey, [{ name, id }]);
  draft.trim(acceptedSignalsKey, maxAcceptedIds);
}

/** Removes the event that a node has taken. */
export function takeSignal(draft: Draft, answer: MessageRef): void {
  const kept = draft.list(keptSignalsKey);
  const rest = kept.filter(({ message }) => message.id !== answer.id);
  if (rest.length === kept.length) return;
  draft.trim(keptSignalsKey, 0);
  draft.append(keptSignalsKey, rest);
}
