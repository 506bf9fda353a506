import type { RunId } from '@millrace/core';
import type { Namespace, RunDescription } from '@millrace/runtime';
import { unknownRun } from './refusal.ts';

/** How a run stands. Throws RequestError when there is no such run. */
export async function describeKnown(space: Namespace, run: RunId): Promise<RunDescription> {
  const description = await space.describe(run);
  if (description === undefined) throw unknownRun(run);
  return description;
}

/** How a run stands once it has ended, or as soon as the signal is aborted. */
export async function describeEnded(space: Namespace, run: RunId, signal: AbortSignal): Promise<RunDescription> {
  const description = await describeKnown(space, run);
  if (description.finishedAt !== undefined) return description;
  for await (const { event } of space.watch(run, description.seen, signal)) if (event.type === 'run.finished') break;
  return describeKnown(space, run);
}

/** How a run stands once it has ended or waits for somebody, or as soon as the signal is aborted. */
export async function describeIdle(space: Namespace, run: RunId, signal: AbortSignal): Promise<RunDescription> {
  let description = await describeKnown(space, run);
  let asks = description.tasks.length > 0;
  if (isIdle(description)) return description;
  for await (const { event } of space.watch(run, description.seen, signal)) {
    asks ||= event.type === 'activation.suspended';
    // A run that asks nobody cannot come to wait when an activation ends.
    const mayBeIdle = event.type === 'run.finished' || event.type === 'run.paused' || asks;
    if (!mayBeIdle) continue;
    description = await describeKnown(space, run);
    if (isIdle(description)) return description;
  }
  return describeKnown(space, run);
}

const isIdle = ({ status }: RunDescription): boolean => status !== 'running' && status !== 'stopping';
