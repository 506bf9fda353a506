/**
 * An attempt at an activation is over because there is nothing to do for a while. The activation is executed again at
 * that time, over the steps that it remembers, and holds no place at a worker until then.
 */
export class AttemptPostponed extends Error {
  /** Milliseconds since 1970 by the store's clock. */
  readonly until: number;
  constructor(until: number) {
    super('the activation is postponed');
    this.name = 'Postponed';
    this.until = until;
  }
}
