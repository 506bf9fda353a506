import type { SearchOf } from '../kit/values/search.ts';
import { oneOf, searchOf, text } from '../kit/values/search.ts';

/** Questions that the inbox shows: unclaimed ones, those of the caller, or all. */
export type InboxTab = 'open' | 'mine' | 'all';

/** What an address names of the inbox. */
export const parseInboxSearch = searchOf({
  tab: oneOf('mine', 'all'),
  /** Name of the only workflow whose questions are listed. */
  workflow: text,
});

/** See {@link parseInboxSearch}. */
export type InboxSearch = SearchOf<typeof parseInboxSearch>;
