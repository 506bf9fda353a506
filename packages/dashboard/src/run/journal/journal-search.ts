import type { SearchOf } from '../../kit/values/search.ts';
import { activationId, eventId, matching, searchOf } from '../../kit/values/search.ts';

/** What an address names of a journal: filters, and the event that is open. */
export const parseJournalSearch = searchOf({
  /** Type of events, or the first part of one, as in `activation`. */
  type: matching(/^[a-z]+(\.[a-z]+)?$/),
  /** Id of an activation. */
  activation: activationId,
  /** Id of the event that is open; newer ones are below it out of sight. */
  at: eventId,
});

/** See {@link parseJournalSearch}. */
export type JournalSearch = SearchOf<typeof parseJournalSearch>;
