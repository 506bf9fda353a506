/** Place in a journal that an address names: filters, and the event that is open. */
export interface JournalPlace {
  /** Type of events, or the first part of one, as in `activation`. */
  readonly type?: string | undefined;
  /** Id of an activation. */
  readonly activation?: string | undefined;
  /** Id of the event that is open; newer ones are below it out of sight. */
  readonly at?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export const parseJournalPlace = ({ type, activation, at }: Readonly<Record<string, unknown>>): JournalPlace => ({
  ...(typeof type === 'string' && /^[a-z]+(\.[a-z]+)?$/.test(type) ? { type } : {}),
  ...(typeof activation === 'string' && /^a\d{1,15}$/.test(activation) ? { activation } : {}),
  ...(typeof at === 'string' && /^\d+-\d+$/.test(at) ? { at } : {}),
});
