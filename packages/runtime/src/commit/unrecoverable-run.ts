import type { Failure } from '@millrace/core';
import { NodeError, RequestError } from '@millrace/core';
import type { Store } from '../ports/store/port.ts';

/** Thrown when no worker can continue a run, however often it tries: its plan or its state is invalid. */
export class UnrecoverableRunError extends Error {
  readonly failure: Failure;
  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'UnrecoverableRunError';
    this.failure = { code, message };
  }
}

/** Returns the error that stops a run: an exceeded limit, a bug, or a state that only a bug can cause. */
export function unrecoverable(cause: unknown): UnrecoverableRunError {
  if (cause instanceof UnrecoverableRunError) return cause;
  if (cause instanceof NodeError) return new UnrecoverableRunError(cause.code, cause.message, cause);
  return new UnrecoverableRunError('INTERNAL', cause instanceof Error ? cause.message : String(cause), cause);
}

/**
 * Waits for the outcome of a command that a caller has requested. An exceeded limit is the caller's error, not a bug.
 */
export async function verdictFor<Verdict>(verdict: Promise<Verdict>): Promise<Verdict> {
  try {
    return await verdict;
  } catch (error) {
    if (!(error instanceof UnrecoverableRunError) || error.failure.code === 'INTERNAL') throw error;
    throw new RequestError(error.failure.code, error.failure.message);
  }
}

/**
 * Returns the reason why a commit can never be carried out, however often it is tried: it exceeds a limit, cannot be
 * encoded, or the store refuses it as wrong. Undefined for temporary failures, such as an outage.
 */
export function refusalOf(error: unknown, store: Pick<Store, 'refuses'>): UnrecoverableRunError | undefined {
  if (error instanceof NodeError || error instanceof UnrecoverableRunError) return unrecoverable(error);
  if (!(error instanceof Error)) return undefined;
  const isOurs = error instanceof RangeError || error instanceof TypeError;
  if (!isOurs && !store.refuses(error)) return undefined;
  return new UnrecoverableRunError('COMMIT_FAILED', `A step of the run cannot be stored: ${error.message}`, error);
}
