import type { TerminationDelta } from '@millrace/core';

/** Context of a custom termination condition. */
export interface TerminationContext {
  /** Arguments from `args` in the workflow. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Result of a custom termination condition: whether to stop, the reason, and its new state. */
export interface TerminationVerdict {
  readonly stop: boolean;
  readonly reason?: string;
  /** New state, as JSON; absent: the state does not change. */
  readonly state?: unknown;
}

/** A custom termination condition. It may be called several times for one delta, so it must have no side effects. */
export interface TerminationFunction {
  /**
   * Returns the initial state of a segment, as JSON. A function without it has no state, and is called once for each
   * delta.
   */
  init?(args: Readonly<Record<string, unknown>>): unknown;
  evaluate(
    delta: TerminationDelta,
    state: unknown,
    context: TerminationContext,
  ): boolean | TerminationVerdict | Promise<boolean | TerminationVerdict>;
}
