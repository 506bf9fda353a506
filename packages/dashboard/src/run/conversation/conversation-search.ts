import type { SearchOf } from '../../kit/values/search.ts';
import { activationId, count, eventId, searchOf, text } from '../../kit/values/search.ts';
import type { Entry } from './conversation.ts';

/** What an address names of a conversation. */
export const parseConversationSearch = searchOf({
  /** Id of a node. */
  node: text,
  /** Iteration of the loop around it. */
  iteration: count,
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
  { node, iteration }: Pick<ConversationSearch, 'node' | 'iteration'>,
): readonly Entry[] =>
  entries.filter(
    (entry) =>
      (node === undefined || entry.source === node) && (iteration === undefined || entry.iteration === iteration),
  );
