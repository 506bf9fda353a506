/**
 * Thrown when an attempt at an activation ends through no fault of its node: the run could not be reached, or another
 * attempt has got further. It settles nothing; the agenda wakes the activation again if no other worker has it.
 */
export class AttemptInterrupted extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Interrupted';
  }
}

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
