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
