import type { MessageId, RunId } from '@millrace/core';
import { RequestError, withoutTenant } from '@millrace/core';
import { storedFormat } from './format.ts';

/** Returns the refusal to follow a run that no longer exists. */
export const runGone = (): RequestError =>
  new RequestError('RUN_UNKNOWN', 'The run no longer exists: it was removed, or the store has lost its data.');

/** A message of a run is not stored: the state of the run that the process has is out of date, or the run is broken. */
export class BodyMissing extends Error {
  constructor(run: RunId, id: MessageId | undefined) {
    super(`Run ${run} has no message ${id}.`);
    this.name = 'BodyMissing';
  }
}

/** A run is stored in a later format than this build knows. The run is left unchanged. */
export class NewerFormat extends RequestError {
  readonly run: RunId;
  readonly format: number;
  constructor(run: RunId, format: number) {
    super(
      'FORMAT_NEWER',
      `The run ${withoutTenant(run)} is stored in format ${format}, and this process knows formats up to ${storedFormat}. Ask a process of the newer version, or upgrade this one.`,
    );
    this.run = run;
    this.format = format;
  }
}
