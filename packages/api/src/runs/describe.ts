import type { RunId } from '@millrace/core';
import { RequestError } from '@millrace/core';
import type { RunDescription, TenantRuntime } from '@millrace/runtime';
import { canRead } from '../operation/call.ts';
import type { Context } from '../operation/context.ts';
import { unknownRun } from '../operation/refusal.ts';
import type { Run } from '../schemas/runs/run.ts';
import { runOf, withoutContents } from '../schemas/runs/run.ts';

/** Returns the state of a run; `head`: without the outputs of its nodes. Throws RequestError, `RUN_UNKNOWN`, if there is no such run. */
export async function describeKnown(
  tenant: Pick<TenantRuntime, 'run'>,
  run: RunId,
  view?: 'head',
): Promise<RunDescription> {
  const description = await tenant.run(run).describe(view);
  if (description === undefined) throw unknownRun(run);
  return description;
}

/** Returns the state of a run that this process has started, as of its start. Throws RequestError, `RUN_UNKNOWN`. */
export async function describeStarted(tenant: Pick<TenantRuntime, 'run'>, run: RunId): Promise<RunDescription> {
  const description = await tenant.run(run).describeStarted();
  if (description === undefined) throw unknownRun(run);
  return description;
}

/** Returns a run as its caller may see it. */
export function runFor(caller: Pick<Context, 'scopes' | 'tenant'>, description: RunDescription): Run {
  const run = runOf(description);
  return canRead(caller) ? run : withoutContents(run);
}

/** Reads a run that was just started. Throws RequestError, `RUN_LOST`, if it is not there. */
export async function ofStarted<T>(run: RunId, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== 'RUN_UNKNOWN') throw error;
    throw new RequestError(
      'RUN_LOST',
      `Run ${run} was started and is not there any more, as when a failover of Redis has lost it. Start it again.`,
    );
  }
}

/** Throws RequestError for an event that a journal has not reached, because no certain events follow it. */
export function assertReached({ run, seen }: Pick<RunDescription, 'run' | 'seen'>, event: string): void {
  if (Number.parseInt(event, 10) <= Number.parseInt(seen, 10)) return;
  throw new RequestError(
    'EVENT_UNKNOWN',
    `Run ${run} has no event ${event}: its journal does not reach that far. Follow it again from its beginning.`,
  );
}
