import type { TerminationDelta } from '@millrace/core';

/** What a custom condition is told beside the delta. */
export interface TerminationContext {
  /** As the workflow gives them under `args`. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** What a custom condition says: whether to stop, why, and what it wants to remember. */
export interface TerminationVerdict {
  readonly stop: boolean;
  readonly reason?: string;
  /** Its new state, as JSON; the old one stays when it is left out. */
  readonly state?: unknown;
}

/** A condition of one's own. It may be asked several times about one delta, and so only looks and thinks. */
export interface TerminationFunction {
  /** The state that a segment begins with, as JSON. Without it the function has no state, and is asked but once. */
  init?(args: Readonly<Record<string, unknown>>): unknown;
  evaluate(
    delta: TerminationDelta,
    state: unknown,
    context: TerminationContext,
  ): boolean | TerminationVerdict | Promise<boolean | TerminationVerdict>;
}
