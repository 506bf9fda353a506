import type { SearchOf } from '../../kit/values/search.ts';
import { activationId, count, eventId, searchOf, text } from '../../kit/values/search.ts';
import type { Entry } from './conversation.ts';

/** What an address names of a conversation. */
export const parseConversationSearch = searchOf({
  /** Id of a node. */
  node: text,
  /** Turn of the loop around it. */
  turn: count,
  /** Id of the last event that is shown; absent: the newest. */
  at: eventId,
  /** Id of the activation whose drawer is open. */
  a: activationId,
});

/** See {@link parseConversationSearch}. */
export type ConversationSearch = SearchOf<typeof parseConversationSearch>;

/** Returns the parts of a conversation that a filter leaves. */
export const chooseEntries = (
  entries: readonly Entry[],
  { node, turn }: Pick<ConversationSearch, 'node' | 'turn'>,
): readonly Entry[] =>
  entries.filter(
    (entry) => (node === undefined || entry.source === node) && (turn === undefined || entry.turn === turn),
  );
