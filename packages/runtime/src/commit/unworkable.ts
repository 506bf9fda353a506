import type { Failure } from '@millrace/core';
import { NodeError, RequestError } from '@millrace/core';

/** Thrown when a run cannot be continued by any worker, however often it tries: its plan or its state makes no sense. */
export class Unworkable extends Error {
  readonly failure: Failure;
  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'Unworkable';
    this.failure = { code, message };
  }
}

/** What a limit, a bug of ours, or a state that only a bug can leave, is to the run that it stops. */
export function unworkable(cause: unknown): Unworkable {
  if (cause instanceof Unworkable) return cause;
  if (cause instanceof NodeError) return new Unworkable(cause.code, cause.message, cause);
  return new Unworkable('INTERNAL', cause instanceof Error ? cause.message : String(cause), cause);
}

/** Waits for what became of a command that somebody has asked for: that it exceeds a limit is their affair, and no bug. */
export async function verdictFor<Verdict>(verdict: Promise<Verdict>): Promise<Verdict> {
  try {
    return await verdict;
  } catch (error) {
    if (!(error instanceof Unworkable) || error.failure.code === 'INTERNAL') throw error;
    throw new RequestError(error.failure.code, error.failure.message);
  }
}
