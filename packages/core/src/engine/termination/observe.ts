import type { TerminationDelta } from '../../model/delta.ts';
import { taskSource, toDeltaMessage } from '../../model/delta.ts';
import type { MessageBody } from '../../model/message.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ConditionObservations } from '../commands/command.ts';
import type { ConditionStates } from '../records/stop.ts';

/** Lets the leaves of a termination look at a delta. Done where the texts are; what they see is what `decide` steps with. */
export async function observeLeaves(
  { leaves }: PlanTermination,
  delta: TerminationDelta,
  { cells, signal }: { readonly cells: ConditionStates; readonly signal: AbortSignal },
): Promise<ConditionObservations> {
  const observed: Record<string, unknown> = {};
  for (const { path, config, definition } of leaves) {
    const cell = cells[path];
    if (definition.observe === undefined || cell?.met !== undefined) continue;
    const seen = await definition.observe(config, delta, { state: cell?.state, signal });
    if (seen !== undefined) observed[path] = seen;
  }
  return observed;
}

/** The task as terminations see it: the first delta of a segment, or of a call. */
export const taskDelta = (task: readonly MessageBody[]): TerminationDelta => ({
  items: task.map((message) => toDeltaMessage(message, taskSource)),
  tokens: { prompt: 0, completion: 0 },
  source: taskSource,
  turn: false,
  task: true,
  nested: false,
});
