import { RequestError } from '@millrace/core';

/** The refusal to follow a run that the store does not have any more. */
export const runGone = (): RequestError =>
  new RequestError('RUN_UNKNOWN', 'The run no longer exists: it was removed, or the store has lost its data.');
