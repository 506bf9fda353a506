import { eventId, searchOf } from '../../kit/values/search.ts';

/** What an address names of the bill of a run. */
export const parseMoneySearch = searchOf({
  /** Id of the last event that counts; absent: the newest. */
  at: eventId,
});
