import type { Schedule } from '@millrace/runtime';
import type { StartContext } from '../runs/start-request.ts';
import { startRequestOf } from '../runs/start-request.ts';
import { StartRun } from '../schemas/runs/run.ts';

/** Starts a run of a schedule, independent of its times. */
export async function startScheduled(schedule: Schedule, run: string, context: StartContext): Promise<string> {
  const request = await startRequestOf(StartRun.parse(schedule.run), context);
  return context.tenant.start({
    ...request,
    tags: [...(request.tags ?? []), `schedule:${schedule.id}`],
    startedBy: { type: 'schedule', of: schedule.id },
    run,
  });
}
