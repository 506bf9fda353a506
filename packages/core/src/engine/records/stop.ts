import type { ScopeId } from '../../model/ids.ts';

/** A scope that can stop: a frame (no name), or a named scope in it. */
export interface ScopeRef {
  readonly scope: ScopeId;
  readonly name: string;
}

/** The reason for which a run was stopped; it can be resumed. */
export interface StopReason {
  /** `external`, or the type of the condition that was satisfied. */
  readonly code: string;
  readonly text: string;
  /** The conditions that were satisfied, in that order. */
  readonly leaves?: readonly MetCondition[];
}

/**
 * Treatment of executing activations when their run is stopped: they finish, or are cancelled and executed again
 * later.
 */
export type InFlight = 'drain' | 'cancel';

/** A leaf that is satisfied, with the reason. */
export interface MetCondition {
  readonly path: string;
  readonly type: string;
  readonly id?: string;
  readonly text: string;
  readonly cancels?: true;
}

/** State of one condition in a termination. */
export interface ConditionState {
  /** The leaves that satisfied it, in that order; it is not evaluated any more. */
  readonly met?: readonly MetCondition[];
  /** State of a leaf's own. */
  readonly state?: unknown;
  /** The leaves below an `all_of` that are satisfied so far, in that order. */
  readonly collected?: readonly MetCondition[];
}

/** States of the conditions of a termination, by path; a condition without a state has no entry. */
export type ConditionStates = Readonly<Record<string, ConditionState>>;
