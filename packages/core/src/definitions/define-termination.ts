import type { Failure } from '../model/failure.ts';
import type { TerminationDelta } from '../model/messages/delta.ts';
import type { Definition } from './definition.ts';

/** Input of one step of a termination condition: an observation of a delta, a signal from outside, or only time. */
export interface ConditionInput<Observed> {
  /** The result of `observe` or `onSignal`. */
  readonly observed?: Observed;
  /** Milliseconds since the scope's segment began, and how many of them the run was paused. */
  readonly elapsedMs: number;
  readonly pausedMs: number;
}

/** Result of one step. `moved`: the condition's state has changed since the observation, which must be repeated. */
export type ConditionStepResult<State> =
  | { readonly type: 'moved' }
  | { readonly type: 'failed'; readonly error: Failure }
  | { readonly type: 'stepped'; readonly state?: State /** Reason why it is satisfied. */; readonly reason?: string };

/** The messages that a condition observes, for checks. */
export interface ConditionMessageFilter {
  readonly sources?: readonly string[] | undefined;
  readonly nested: boolean;
  /** The task alone could satisfy it, and the author has not said if the task counts. */
  readonly task: boolean;
}

/** A termination condition: a leaf of the tree that decides when a scope stops. All functions are pure. */
export interface TerminationDefinition<Config = unknown, Observed = unknown, State = unknown>
  extends Definition<Config> {
  /**
   * Returns the observation of a delta, as JSON; undefined for none. Runs in the worker, which has the texts, before
   * the commit.
   */
  observe?(
    config: Config,
    delta: TerminationDelta,
    seen: { readonly state: unknown; readonly signal: AbortSignal },
  ): unknown;
  /** Returns the observation of a signal from outside; undefined if the condition does not wait for it. */
  onSignal?(config: Config, signal: { readonly name: string; readonly note?: string }): Observed | undefined;
  /** Steps the condition, in the order of the commits. `state` is undefined when the segment begins. */
  step(config: Config, state: State | undefined, moment: ConditionInput<Observed>): ConditionStepResult<State>;
  /** Returns the time after which the condition is satisfied, in milliseconds; `countsPaused`: pauses count. */
  due?(config: Config): { readonly afterMs: number; readonly countsPaused: boolean };
  messageFilter?(config: Config): ConditionMessageFilter;
}

/** Declares a termination condition. */
export const defineTermination = <Config, Observed, State>(
  definition: TerminationDefinition<Config, Observed, State>,
): TerminationDefinition<Config, Observed, State> => definition;
