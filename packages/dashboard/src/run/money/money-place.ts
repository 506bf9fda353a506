/** Place in the bill of a run that an address names. */
export interface MoneyPlace {
  /** Id of the last event that counts; absent: the newest. */
  readonly at?: string | undefined;
}

/** Returns the place that the query of an address describes. */
export const parseMoneyPlace = ({ at }: Readonly<Record<string, unknown>>): MoneyPlace =>
  typeof at === 'string' && /^\d+-\d+$/.test(at) ? { at } : {};
