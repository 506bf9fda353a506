import type { InboxTab } from './use-tasks.ts';

/** Part of the inbox that an address names. */
export interface InboxPlace {
  readonly tab?: Exclude<InboxTab, 'open'>;
}

/** Reads the place from the query of an address; what it does not know is left out. */
export const parseInboxPlace = ({ tab }: Record<string, unknown>): InboxPlace =>
  tab === 'mine' || tab === 'all' ? { tab } : {};
