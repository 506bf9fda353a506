import type { Run } from '@millrace/client';
import type { Picture } from '../fold/picture.ts';
import { statusOf } from '../fold/status-of.ts';
import { hasEnded } from '../has-ended.ts';

/**
 * Returns a run with all changes that its events contain. New questions and errors have further fields, which events lack;
 * questions that are over are removed.
 */
export function patchedRun(run: Run, picture: Picture): Run {
  const { activations, usage, usageByNode, budget, at } = picture;
  const status = statusOf(picture);
  const { finishedAt: _before, ...rest } = run;
  return {
    ...rest,
    status,
    tasks: run.tasks.filter(({ id }) => !hasEnded({ status }) && asks(picture, id.slice(run.runId.length + 1))),
    activations,
    usage: { ...usage },
    usageByNode: Object.fromEntries([...usageByNode].map(([path, used]) => [path, { ...used }])),
    budget: run.budget === null || budget === undefined ? run.budget : { ...run.budget, ...copyOf(budget) },
    ...(hasEnded({ status }) ? { finishedAt: run.finishedAt ?? at } : {}),
  };
}

/** Tests if an activation waits for a person. */
function asks({ live }: Picture, activation: string): boolean {
  const wait = live.get(activation)?.waitsFor;
  return wait?.type === 'person' || wait?.asks === true;
}

const copyOf = ({ limit, spent, reserved, lost }: NonNullable<Picture['budget']>) => ({
  limit: { ...limit },
  spent: { ...spent },
  reserved: { ...reserved },
  lost: { ...lost },
});
