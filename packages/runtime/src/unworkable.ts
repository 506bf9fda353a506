import type { Failure } from '@millrace/core';

/** Thrown when a run cannot be gone on with, whoever tries and however often: its plan or its state makes no sense. */
export class Unworkable extends Error {
  readonly failure: Failure;
  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'Unworkable';
    this.failure = { code, message };
  }
}

/** What a bug of ours, or a state that only a bug can leave, is to the run that it stops. */
export const unworkable = (cause: unknown): Unworkable =>
  cause instanceof Unworkable
    ? cause
    : new Unworkable('INTERNAL', cause instanceof Error ? cause.message : String(cause), cause);
