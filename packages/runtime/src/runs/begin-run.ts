import type { Plan, RunId, TenantId } from '@millrace/core';
import { defaultTenant, omitUndefined, RequestError, tenantOf, withTenant } from '@millrace/core';
import type { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import type { Verdict } from '../commit/cached-run.ts';
import { assertCapacity } from '../commit/capacity.ts';
import { assertMessageSize } from '../commit/new-bodies.ts';
import type { RunCache } from '../commit/run-cache.ts';
import { PreconditionUnmet } from '../commit/transact.ts';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { StartRequest, StartResult } from '../contract/runs.ts';
import { definitionRef, saveDefinition } from '../resources/definition-text.ts';
import { hasWebhooks, webhookRegister } from '../resources/webhooks.ts';
import type { Store } from '../store/port.ts';
import { startCommand } from './start-command.ts';

/** Dependencies of starts. */
interface Starting {
  readonly cache: RunCache;
  readonly store: Store;
  /** Tenants that had webhooks, or had none, when that was asked last. */
  readonly webhooks: LRUCache<TenantId, boolean>;
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

/** Maximum number of times that a start prepares the store; once is enough unless webhooks come and go meanwhile. */
const attempts = 5;

/**
 * Commits the start of a run without a read before: the commit assumes that the workflow is stored and that the tenant's
 * webhooks are as they were. When it finds otherwise, the store is prepared, and the start is committed once more.
 */
async function startOptimistically(
  starting: Starting,
  request: StartRequest,
  { run, hash, plan }: NewRun,
): Promise<Verdict> {
  const tenant = tenantOf(run);
  const definition = definitionRef(request.definition);
  // Made once: functions of the workflow may observe the task.
  const expiresAt = request.ttlMs === undefined ? undefined : starting.store.now() + request.ttlMs;
  const command = await startCommand(plan, { hash, definition, expiresAt }, request);
  assertMessageSize(command.bodies, 'The task');
  for (let attempt = 0; ; attempt++) {
    const isNotified = starting.webhooks.get(tenant) ?? false;
    const register = { name: webhookRegister(tenant), hasEntries: isNotified };
    const preconditions = omitUndefined({ plan: hash, register, text: definition?.hash });
    const start =
      isNotified && expiresAt === undefined ? { ...command, origin: { ...command.origin, told: isNotified } } : command;
    try {
      return await verdictFor(starting.cache.submit(starting.cache.cachedOf(run), start, preconditions).verdict);
    } catch (error) {
      if (!(error instanceof PreconditionUnmet) || attempt === attempts) throw error;
    }
    await prepare(starting, request, tenant);
  }
}

/** Stores the workflow of a start, and learns whether the tenant has webhooks. */
async function prepare({ cache, store, webhooks }: Starting, request: StartRequest, tenant: TenantId): Promise<void> {
  const [has] = await Promise.all([
    hasWebhooks(store, tenant),
    cache.plans.save(request.workflow),
    saveDefinition(store, request.definition),
  ]);
  webhooks.set(tenant, has);
}
