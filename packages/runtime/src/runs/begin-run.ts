import { defaultTenant, RequestError, tenantOf, withTenant } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import { assertCapacity } from '../commit/capacity.ts';
import { assertMessageSize } from '../commit/new-bodies.ts';
import type { RunCache } from '../commit/run-cache.ts';
import { verdictFor } from '../commit/unworkable.ts';
import type { StartRequest, StartResult } from '../contract/runs.ts';
import { hasWebhooks } from '../resources/webhooks.ts';
import type { Store } from '../store/port.ts';
import { saveDefinition } from './definition.ts';
import { startCommand } from './start-command.ts';

/** Starts a run, unless one with its id exists. Throws RequestError. */
export async function beginRun(
  { access, store }: { readonly access: RunCache; readonly store: Store },
  request: StartRequest,
): Promise<StartResult> {
  const run = request.run ?? withTenant(request.tenant ?? defaultTenant, `run_${uuid().replaceAll('-', '')}`);
  if (request.run !== undefined && (await access.fresh(run, () => true)) !== undefined) return { run, started: false };
  if (request.workflow.compat === 'chatdev' && typeof request.input === 'string' && request.input.trim() === '') {
    throw new RequestError(
      'INPUT_EMPTY',
      'A workflow in compatibility mode needs a task: the original engine refuses an empty one.',
    );
  }
  const [told] = await Promise.all([hasWebhooks(store, tenantOf(run)), assertCapacity(store)]);
  const [hash, definition] = await Promise.all([
    access.plans.save(request.workflow),
    saveDefinition(store, request.definition),
  ]);
  const { plan } = await access.plans.load(hash);
  const command = await startCommand(plan, { hash, told, definition }, request);
  assertMessageSize(command.bodies, 'The task');
  // Refused only when another process has started it meanwhile, which has the same result.
  const { type } = await verdictFor(access.submit(access.cellOf(run), command).verdict);
  return { run, started: type === 'accepted' };
}
