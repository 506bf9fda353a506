import type { MessageBody, ObservedLeaves, PlanTermination } from '@millrace/core';
import { observeLeaves, taskDelta } from '@millrace/core';

/** What a termination sees in a task; a segment that begins has no state yet. */
export const observeTask = (termination: PlanTermination, task: readonly MessageBody[]): Promise<ObservedLeaves> =>
  observeLeaves(termination, taskDelta(task), { cells: {}, signal: new AbortController().signal });
