/**
 * Thrown when an attempt at an activation has nothing to do for a while. The activation is executed again at that time,
 * over its recorded steps, and holds no worker until then.
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
