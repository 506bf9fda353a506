import { z } from 'zod';
import type { ScopeId } from '../../model/ids.ts';
import type { Recorded } from '../../model/recorded.ts';
import { textAs } from '../../model/recorded.ts';

/** A scope that can stop: a frame (no name), or a named scope in it. */
export interface ScopeRef {
  readonly scope: ScopeId;
  readonly name: string;
}

/** The time that a termination has counted. */
export const ElapsedTime = z.object({
  scope: textAs<ScopeId>(z.string()).describe('Execution of the graph.'),
  name: z.string().describe('Name of the scope in it; empty: the graph itself.'),
  elapsedMs: z.number().describe('Time since the scope was entered, without the time during which the run had ended.'),
  pausedMs: z.number().describe('Of this, the time of pauses.'),
});
export type ElapsedTime = Recorded<typeof ElapsedTime>;

const metCondition = z.object({
  path: z.string(),
  type: z.string(),
  id: z.string().optional(),
  text: z.string(),
  cancels: z.literal(true).optional(),
});
/** A leaf that is satisfied, with the reason. */
export type MetCondition = Recorded<typeof metCondition>;

const leaves = z.array(metCondition).optional().describe('The conditions that were satisfied, in that order.');

/** The reason for which a run or a scope was stopped; a run can be resumed. */
export const StopReason = z
  .object({
    code: z.string().describe('`external`, or the type of the condition that was satisfied.'),
    text: z.string(),
    leaves,
  })
  .meta({ id: 'StopReason' });
export type StopReason = Recorded<typeof StopReason>;

/**
 * Treatment of executing activations when their run is stopped: they finish, or are cancelled and executed again
 * later.
 */
export const InFlight = z.enum(['drain', 'cancel']).describe('Work in progress finishes (`drain`) or is cancelled.');
export type InFlight = Recorded<typeof InFlight>;

/**
 * State of one condition in a termination: the leaves that satisfied it, after which it is not evaluated any more; a
 * leaf's own state; the leaves below an `all_of` that are satisfied so far.
 */
const conditionState = z.object({ met: leaves, state: z.unknown().optional(), collected: leaves });
export type ConditionState = Recorded<typeof conditionState>;

/** States of the conditions of a termination, by path; a condition without a state has no entry. */
export const ConditionStates = z.record(z.string(), conditionState);
export type ConditionStates = Recorded<typeof ConditionStates>;
