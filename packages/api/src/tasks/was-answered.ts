import type { ActivationId, RunId } from '@millrace/core';
import type { TenantRuntime } from '@millrace/runtime';

const pageSize = 1000;

/** Tells whether a question was asked and answered: the record of an activation that went on is gone, its journal stays. */
export async function wasAnswered(
  tenantRuntime: TenantRuntime,
  run: RunId,
  activation: ActivationId,
): Promise<boolean> {
  for (let after = '0'; ; ) {
    const page = await tenantRuntime.journal(run, after, pageSize);
    if (page.some(({ event }) => event.type === 'activation.answered' && event.activation === activation)) return true;
    const last = page.at(-1);
    if (last === undefined) return false;
    after = last.id;
  }
}
