import type { Entry } from './conversation.ts';

/** Place in a conversation that an address names. */
export interface ConversationPlace {
  /** Id of a node. */
  readonly node?: string | undefined;
  /** Turn of the loop around it. */
  readonly turn?: number | undefined;
  /** Id of the last event that is shown; absent: the newest. */
  readonly at?: string | undefined;
  /** Id of the activation whose drawer is open. */
  readonly a?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export function parseConversationPlace(search: Readonly<Record<string, unknown>>): ConversationPlace {
  const { node, turn, at, a } = search;
  return {
    ...(typeof node === 'string' || typeof node === 'number' ? { node: String(node) } : {}),
    ...(typeof turn === 'number' && Number.isInteger(turn) ? { turn } : {}),
    ...(typeof at === 'string' && /^\d+-\d+$/.test(at) ? { at } : {}),
    ...(typeof a === 'string' && /^a\d{1,15}$/.test(a) ? { a } : {}),
  };
}

/** Returns the parts of a conversation that a filter leaves. */
export const chooseEntries = (
  entries: readonly Entry[],
  { node, turn }: Pick<ConversationPlace, 'node' | 'turn'>,
): readonly Entry[] =>
  entries.filter(
    (entry) => (node === undefined || entry.source === node) && (turn === undefined || entry.turn === turn),
  );
