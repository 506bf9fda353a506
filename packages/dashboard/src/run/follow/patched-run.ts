import type { Run } from '@millrace/client';
import type { RunProjection } from '@millrace/core/projection';
import { displayedStatus, usageByNode } from '@millrace/core/projection';
import { hasEnded } from '../has-ended.ts';

/**
 * Returns a run with all changes that its events contain. New questions and errors have further fields, which events lack;
 * questions that are over are removed.
 */
export function patchedRun(run: Run, projection: RunProjection): Run {
  const { activations, usage, budget, at } = projection;
  const status = displayedStatus(projection);
  const { finishedAt: _before, ...rest } = run;
  return {
    ...rest,
    status,
    tasks: run.tasks.filter(({ id }) => !hasEnded({ status }) && asks(projection, id.slice(run.runId.length + 1))),
    activations,
    usage,
    usageByNode: usageByNode(projection),
    budget: run.budget === null || budget == null ? run.budget : { ...run.budget, ...budget },
    ...(hasEnded({ status }) ? { finishedAt: run.finishedAt ?? at } : {}),
  };
}

/** Tests if an activation waits for a person. */
function asks({ live }: RunProjection, activation: string): boolean {
  const wait = live.get(activation)?.waitsFor;
  return wait?.type === 'person' || (wait?.type === 'budget' && wait.asks === true);
}
