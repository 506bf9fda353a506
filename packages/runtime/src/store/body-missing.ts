import type { MessageId, RunId } from '@millrace/core';

/**
 * Thrown when a message that a run refers to is not stored: the process's copy of the run is out of date, or the run is
 * broken.
 */
export class BodyMissing extends Error {
  constructor(run: RunId, id: MessageId | undefined) {
    super(`Run ${run} has no message ${id}.`);
    this.name = 'BodyMissing';
  }
}
