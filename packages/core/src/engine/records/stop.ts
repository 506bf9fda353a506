import type { ScopeId } from '../../model/ids.ts';

/** A scope that can stop: an execution of a graph (no name), or a named scope in it. */
export interface ScopeRef {
  readonly scope: ScopeId;
  readonly name: string;
}

/** Why a run was stopped before its end; it can be resumed. */
export interface StopReason {
  /** `external`, or the kind of condition that was met. */
  readonly code: string;
  readonly text: string;
  /** The conditions that were met, in the order in which they were. */
  readonly leaves?: readonly MetCondition[];
}

/** What becomes of activations at work when their run is stopped: they may finish, or are told to stop and run anew later. */
export type InFlight = 'drain' | 'cancel';

/** A leaf that is met, and why. */
export interface MetCondition {
  readonly path: string;
  readonly type: string;
  readonly id?: string;
  readonly text: string;
  readonly cancels?: true;
}

/** What is kept of one place in the tree. */
export interface ConditionState {
  /** It is met, by these leaves in the order in which they were: it is not looked at any more. */
  readonly met?: readonly MetCondition[];
  /** A leaf's own state. */
  readonly state?: unknown;
  /** The leaves below an `all_of` that are met so far, in the order in which they were. */
  readonly collected?: readonly MetCondition[];
}

/** What is kept of a tree, by path; nothing where nothing has happened. */
export type ConditionStates = Readonly<Record<string, ConditionState>>;
