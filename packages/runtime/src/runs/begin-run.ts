import type { Plan, RunId } from '@millrace/core';
import { defaultTenant, RequestError, tenantOf, withTenant } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import type { Verdict } from '../commit/cached-run.ts';
import { assertMessageSize } from '../commit/new-bodies.ts';
import type { RunCache } from '../commit/run-cache.ts';
import { PreconditionUnmet } from '../commit/transact.ts';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { StartRequest, StartResult } from '../contract/runs.ts';
import { assertCapacity } from '../ports/store/capacity.ts';
import type { Store } from '../ports/store/port.ts';
import { definitionRef } from '../resources/definition-text.ts';
import { startCommand } from './start-command.ts';
import type { StartPreparations } from './start-preparations.ts';

/** Dependencies of starts. */
interface Starting {
  readonly cache: RunCache;
  readonly store: Store;
  readonly preparations: StartPreparations;
}

/** Starts a run, unless one with its id exists. Throws RequestError. */
export async function beginRun(starting: Starting, request: StartRequest): Promise<StartResult> {
  const { cache, store } = starting;
  const run = request.run ?? withTenant(request.tenant ?? defaultTenant, `run_${uuid().replaceAll('-', '')}`);
  if (request.run !== undefined && (await cache.fresh(run, () => true)) !== undefined) return { run, started: false };
  if (request.workflow.compat === 'chatdev' && typeof request.input === 'string' && request.input.trim() === '') {
    throw new RequestError(
      'INPUT_EMPTY',
      'A workflow in compatibility mode needs a task: the original engine refuses an empty one.',
    );
  }
  await assertCapacity(store);
  const hash = await cache.plans.hashOf(request.workflow);
  const { plan } = await cache.plans.load(hash);
  // Refused only when another process has started it meanwhile, which has the same result.
  const { type } = await startOptimistically(starting, request, { run, hash, plan });
  return { run, started: type === 'accepted' };
}

interface NewRun {
  readonly run: RunId;
  readonly hash: string;
  readonly plan: Plan;
}

/** Maximum number of times that a start is sent; twice is enough unless webhooks come and go meanwhile. */
const attempts = 5;

/**
 * Commits the start of a run, without a read before if this process has started a run of the same workflow for the tenant: the
 * commit assumes that the workflow is stored and that the tenant's webhooks are as they were. When it finds otherwise, the
 * store is prepared, and the start is sent once more.
 */
async function startOptimistically(
  { cache, store, preparations }: Starting,
  request: StartRequest,
  { run, hash, plan }: NewRun,
): Promise<Verdict> {
  const definition = definitionRef(request.definition);
  // Made once: functions of the workflow may observe the task.
  const expiresAt = request.ttlMs === undefined ? undefined : store.now() + request.ttlMs;
  const command = await startCommand(plan, { hash, definition, expiresAt }, request);
  assertMessageSize(command.bodies, 'The task');
  for (let attempt = 1; ; attempt++) {
    const preparing = { request, tenant: tenantOf(run), hash, isRepeated: attempt > 1 };
    const preconditions = await preparations.prepare(preparing);
    const told = preconditions.register.hasEntries && expiresAt === undefined;
    const start = told ? { ...command, origin: { ...command.origin, told } } : command;
    try {
      return await verdictFor(cache.submit(cache.cachedOf(run), start, preconditions).verdict);
    } catch (error) {
      if (!(error instanceof PreconditionUnmet) || attempt === attempts) throw error;
    }
  }
}
