import type { ConditionObservations, MessageBody, PlanTermination } from '@millrace/core';
import { observeLeaves, taskDelta } from '@millrace/core';

/** Returns the observation of a task by terminations; a new segment has no state yet. */
export const observeTask = (
  termination: PlanTermination,
  task: readonly MessageBody[],
): Promise<ConditionObservations> =>
  observeLeaves(termination, taskDelta(task), { cells: {}, signal: new AbortController().signal });
