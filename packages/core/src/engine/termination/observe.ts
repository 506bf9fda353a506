import type { TerminationDelta } from '../../model/messages/delta.ts';
import { taskSource, toDeltaMessage } from '../../model/messages/delta.ts';
import type { MessageBody } from '../../model/messages/message.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ConditionObservations } from '../commands/settlement.ts';
import type { ConditionStates } from '../records/stop.ts';

/**
 * Returns the observations of a termination's leaves in a delta. Runs in the worker, which has the texts; `decide`
 * steps the termination with the observations.
 */
export async function observeLeaves(
  { leaves }: PlanTermination,
  delta: TerminationDelta,
  { cells, signal }: { readonly cells: ConditionStates; readonly signal: AbortSignal },
): Promise<ConditionObservations> {
  const observed: Record<string, unknown> = {};
  for (const { path, config, definition } of leaves) {
    const condition = cells[path];
    if (definition.observe === undefined || condition?.met !== undefined) continue;
    const observation = await definition.observe(config, delta, { state: condition?.state, signal });
    if (observation !== undefined) observed[path] = observation;
  }
  return observed;
}

/** Returns the task as a delta for terminations: the first delta of a segment, or of a call. */
export const taskDelta = (task: readonly MessageBody[]): TerminationDelta => ({
  items: task.map((message) => toDeltaMessage(message, taskSource)),
  tokens: { prompt: 0, completion: 0 },
  source: taskSource,
  turn: false,
  task: true,
  nested: false,
});
