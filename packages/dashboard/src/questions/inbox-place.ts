/** Questions that the inbox shows: unclaimed ones, those of the caller, or all. */
export type InboxTab = 'open' | 'mine' | 'all';

/** Part of the inbox that an address names. */
export interface InboxPlace {
  readonly tab?: Exclude<InboxTab, 'open'>;
  /** Name of the only workflow whose questions are listed. */
  readonly workflow?: string;
}

/** Reads the place from the query of an address; unknown values are ignored. */
export const parseInboxPlace = ({ tab, workflow }: Record<string, unknown>): InboxPlace => ({
  ...(tab === 'mine' || tab === 'all' ? { tab } : {}),
  ...(typeof workflow === 'string' || typeof workflow === 'number' ? { workflow: String(workflow) } : {}),
});
