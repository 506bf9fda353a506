import type { RunId } from '@millrace/core';
import type { RunDescription, TenantRuntime } from '@millrace/runtime';
import { unknownRun } from '../operation/refusal.ts';

/** Returns how a run stands. Throws RequestError, `RUN_UNKNOWN`, when there is no such run. */
export async function describeKnown(tenant: Pick<TenantRuntime, 'describe'>, run: RunId): Promise<RunDescription> {
  const description = await tenant.describe(run);
  if (description === undefined) throw unknownRun(run);
  return description;
}
