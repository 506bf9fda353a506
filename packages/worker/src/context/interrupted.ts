/**
 * An attempt at an activation is over through no fault of its node: the run could not be reached, or another attempt
 * has got further. It settles nothing; the agenda brings the activation back if nobody else works on it.
 */
export class AttemptInterrupted extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'Interrupted';
  }
}
