import { NodeError } from './errors.ts';
import type { Failure as FailureSchema, Recorded } from './recorded.ts';

/** Reason of a failure, for the journal and for people. `code` has a page in docs/errors. */
export type Failure = Recorded<typeof FailureSchema>;

/** Returns the failure that an exception of a node means. */
export function failureOf(error: unknown): Failure {
  if (error instanceof NodeError) {
    const failure: Failure = { code: error.code, message: error.message };
    return error.transient ? { ...failure, transient: true } : failure;
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: 'INTERNAL', message };
}
