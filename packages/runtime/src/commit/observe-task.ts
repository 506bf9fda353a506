import type { ConditionObservations, MessageBody, PlanTermination } from '@millrace/core';
import { observeLeaves, taskDelta } from '@millrace/core';

/** What a termination sees in a task; a segment that begins has no state yet. */
export const observeTask = (
  termination: PlanTermination,
  task: readonly MessageBody[],
): Promise<ConditionObservations> =>
  observeLeaves(termination, taskDelta(task), { cells: {}, signal: new AbortController().signal });
