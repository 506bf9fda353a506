import type { TerminationDelta } from '../model/delta.ts';
import type { Failure } from '../model/outcome.ts';
import type { Definition } from './definition.ts';

/** What may change a termination condition: a delta seen before, a signal from outside, or time alone. */
export interface ConditionInput<Observed> {
  /** What `observe` or `signalled` made of it. */
  readonly observed?: Observed;
  /** Milliseconds since the scope's segment began, and how many of them the run was paused. */
  readonly elapsedMs: number;
  readonly pausedMs: number;
}

/** What a moment did to a condition. `moved`: somebody else changed its state since it was observed; observe again. */
export type ConditionStepResult<State> =
  | { readonly type: 'moved' }
  | { readonly type: 'failed'; readonly error: Failure }
  | { readonly type: 'stepped'; readonly state?: State /** Why it is met. */; readonly reason?: string };

/** What a condition looks at, for checks. */
export interface ConditionMessageFilter {
  readonly sources?: readonly string[] | undefined;
  readonly nested: boolean;
  /** The task alone could meet it, and the author has not said whether the task counts. */
  readonly task: boolean;
}

/** A termination condition: a leaf of the tree that says when a scope stops. All of it is pure. */
export interface TerminationDefinition<Config = unknown, Observed = unknown, State = unknown>
  extends Definition<Config> {
  /** What a delta contributes, as JSON; undefined: nothing. Done where the texts are, before the commit. */
  observe?(
    config: Config,
    delta: TerminationDelta,
    seen: { readonly state: unknown; readonly signal: AbortSignal },
  ): unknown;
  /** What a signal from outside contributes; undefined: it is not meant. */
  onSignal?(config: Config, signal: { readonly name: string; readonly note?: string }): Observed | undefined;
  /** Done in the order of the commits. `state` is undefined when the segment begins. */
  step(config: Config, state: State | undefined, moment: ConditionInput<Observed>): ConditionStepResult<State>;
  /** After how many milliseconds time alone meets it; `countsPaused`: pauses are part of them. */
  due?(config: Config): { readonly afterMs: number; readonly countsPaused: boolean };
  messageFilter?(config: Config): ConditionMessageFilter;
}

/** Declares a termination condition. */
export const defineTermination = <Config, Observed, State>(
  definition: TerminationDefinition<Config, Observed, State>,
): TerminationDefinition<Config, Observed, State> => definition;
