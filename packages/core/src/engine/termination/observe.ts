import type { Delta } from '../../model/delta.ts';
import { deltaMessage, taskSource } from '../../model/delta.ts';
import type { MessageBody } from '../../model/message.ts';
import type { PlanTermination } from '../../plan/termination.ts';
import type { ObservedLeaves } from '../commands/command.ts';
import type { TerminationCells } from '../records/stop.ts';

/** Lets the leaves of a termination look at a delta. Done where the texts are; what they see is what `decide` steps with. */
export async function observeLeaves(
  { leaves }: PlanTermination,
  delta: Delta,
  { cells, signal }: { readonly cells: TerminationCells; readonly signal: AbortSignal },
): Promise<ObservedLeaves> {
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
export const taskDelta = (task: readonly MessageBody[]): Delta => ({
  items: task.map((message) => deltaMessage(message, taskSource)),
  tokens: { prompt: 0, completion: 0 },
  source: taskSource,
  turn: false,
  task: true,
  nested: false,
});
