import type { RunId } from '@millrace/core';
import type { RunDescription, Runs } from '@millrace/runtime';
import { unknownRun } from './refusal.ts';

/** How a run stands. Throws RequestError when there is no such run. */
export async function describeKnown(runs: Runs, run: RunId): Promise<RunDescription> {
  const description = await runs.describe(run);
  if (description === undefined) throw unknownRun(run);
  return description;
}

/** How a run stands once it has ended or waits for somebody, or as soon as the signal is aborted. */
export async function describeIdle(runs: Runs, run: RunId, signal: AbortSignal): Promise<RunDescription> {
  let description = await describeKnown(runs, run);
  let asks = description.tasks.length > 0;
  if (isIdle(description)) return description;
  for await (const { event } of runs.watch(run, description.seen, signal)) {
    asks ||= event.type === 'activation.suspended';
    // A run that asks nobody cannot come to wait when an activation ends.
    const mayBeIdle = event.type === 'run.finished' || event.type === 'run.paused' || asks;
    if (!mayBeIdle) continue;
    description = await describeKnown(runs, run);
    if (isIdle(description)) return description;
  }
  return describeKnown(runs, run);
}

const isIdle = ({ status }: RunDescription): boolean => status !== 'running' && status !== 'stopping';
