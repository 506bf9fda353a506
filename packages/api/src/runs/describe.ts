import type { RunId } from '@millrace/core';
import type { RunDescription, TenantRuntime } from '@millrace/runtime';
import { unknownRun } from '../operation/refusal.ts';

/** Returns the state of a run; `head`: without the outputs of its nodes. Throws RequestError, `RUN_UNKNOWN`, when there is no such run. */
export async function describeKnown(
  tenant: Pick<TenantRuntime, 'describe'>,
  run: RunId,
  view?: 'head',
): Promise<RunDescription> {
  const description = await tenant.describe(run, view);
  if (description === undefined) throw unknownRun(run);
  return description;
}
