import type { ScopeId } from '../model/ids.ts';
import type { MetLeaf } from './termination/step.ts';

/** A scope that can stop: an execution of a graph (no name), or a named scope in it. */
export interface ScopeName {
  readonly scope: ScopeId;
  readonly name: string;
}

/** Why a run was stopped before its end; it can be resumed. */
export interface Stop {
  /** `external`, or the kind of condition that was met. */
  readonly code: string;
  readonly text: string;
  /** The conditions that were met, in the order in which they were. */
  readonly leaves?: readonly MetLeaf[];
}

/** What becomes of activations at work when their run is stopped: they may finish, or are told to stop and run anew later. */
export type InFlight = 'drain' | 'cancel';
