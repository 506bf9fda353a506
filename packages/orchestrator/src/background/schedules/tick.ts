import type { StartContext } from '@millrace/api';
import { startScheduled } from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { PastTick, Schedule, TenantRuntime } from '@millrace/runtime';
import { isTransient } from '../../context/transient.ts';

/**
 * Starts the run of one time of a schedule. The run's id derives from both, so repeating it changes nothing. Errors of
 * the schedule are recorded; temporary errors are thrown.
 */
export async function startTick(schedule: Schedule, at: number, asking: StartContext): Promise<void> {
  const tenantRuntime = asking.tenant;
  const run = runOfTick(schedule.id, at);
  if ((await tenantRuntime.run(run).describe()) !== undefined) return;
  const blocking = schedule.overlap === 'skip' ? await stillRunning(tenantRuntime, schedule.id) : undefined;
  const tick =
    blocking === undefined
      ? await begin(schedule, { run, at }, asking)
      : ({ at, run: blocking, outcome: 'skipped' } satisfies PastTick);
  await tenantRuntime.schedules.note(schedule.id, tick);
}

/** Returns the id of the run, such as `tick_nightly_20260101T020000Z`. */
export const runOfTick = (schedule: string, at: number): string =>
  `tick_${schedule}_${new Date(at).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;

async function begin(
  schedule: Schedule,
  { run, at }: { readonly run: string; readonly at: number },
  asking: StartContext,
): Promise<PastTick> {
  try {
    return { at, run: await startScheduled(schedule, run, asking), outcome: 'started' };
  } catch (error) {
    if (!(error instanceof RequestError) || isTransient(error)) throw error;
    return { at, outcome: 'failed', error: { code: error.code, message: error.message } };
  }
}

async function stillRunning(tenantRuntime: TenantRuntime, schedule: string): Promise<string | undefined> {
  const last = await tenantRuntime.schedules.last(schedule);
  const description = last?.run === undefined ? undefined : await tenantRuntime.run(last.run).describe();
  return description !== undefined && description.finishedAt === undefined ? last?.run : undefined;
}
