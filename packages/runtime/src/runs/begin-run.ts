import type { Plan, RunId, TenantId } from '@millrace/core';
import { defaultTenant, omitUndefined, RequestError, tenantOf, withTenant } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import type { Verdict } from '../commit/cached-run.ts';
import { assertCapacity } from '../commit/capacity.ts';
import { assertMessageSize } from '../commit/new-bodies.ts';
import type { RunCache } from '../commit/run-cache.ts';
import { AssumptionUnmet } from '../commit/transact.ts';
import { verdictFor } from '../commit/unworkable.ts';
import type { StartRequest, StartResult } from '../contract/runs.ts';
import { hasWebhooks, webhookRegister } from '../resources/webhooks.ts';
import type { Store } from '../store/port.ts';
import { definitionRef, saveDefinition } from './definition.ts';
import { startCommand } from './start-command.ts';

/** Maximum number of tenants, and of plans and texts, that a process remembers. */
const maxKnown = 10_000;

/** What a process knows of the store from its last starts. */
export class KnownSources {
  readonly #webhooks = new LRUCache<TenantId, boolean>({ max: maxKnown });
  readonly #stored = new LRUCache<string, true>({ max: maxKnown });

  /** Returns whether the plans and texts have been stored by this process, and something is known of the tenant. */
  has(tenant: TenantId, hashes: readonly string[]): boolean {
    return this.#webhooks.has(tenant) && hashes.every((hash) => this.#stored.has(hash));
  }

  /** Returns whether a tenant had webhooks when that was asked last. */
  hasWebhooks(tenant: TenantId): boolean {
    return this.#webhooks.get(tenant) ?? false;
  }

  note(tenant: TenantId, hashes: readonly string[], has: boolean): void {
    this.#webhooks.set(tenant, has);
    for (const hash of hashes) this.#stored.set(hash, true);
  }
}

/** Dependencies of starts. */
interface Starting {
  readonly access: RunCache;
  readonly store: Store;
  readonly known: KnownSources;
}

/** Starts a run, unless one with its id exists. Throws RequestError. */
export async function beginRun(starting: Starting, request: StartRequest): Promise<StartResult> {
  const { access, store } = starting;
  const run = request.run ?? withTenant(request.tenant ?? defaultTenant, `run_${uuid().replaceAll('-', '')}`);
  if (request.run !== undefined && (await access.fresh(run, () => true)) !== undefined) return { run, started: false };
  if (request.workflow.compat === 'chatdev' && typeof request.input === 'string' && request.input.trim() === '') {
    throw new RequestError(
      'INPUT_EMPTY',
      'A workflow in compatibility mode needs a task: the original engine refuses an empty one.',
    );
  }
  await assertCapacity(store);
  const hash = await access.plans.hashOf(request.workflow);
  const { plan } = await access.plans.load(hash);
  // Refused only when another process has started it meanwhile, which has the same result.
  const { type } = await startAsAssumed(starting, request, { run, hash, plan });
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
 * Commits the start of a run in one round trip: the commit assumes that the workflow, which this process has stored
 * before, still is, and that the tenant's webhooks are as they were. When it finds otherwise, the store is prepared, and
 * the start is committed once more. The wake of a commit that was refused finds no activation; because it is counted in
 * no workflow, nothing is assumed that this process has not seen.
 */
async function startAsAssumed(
  starting: Starting,
  request: StartRequest,
  { run, hash, plan }: NewRun,
): Promise<Verdict> {
  const tenant = tenantOf(run);
  const definition = definitionRef(request.definition);
  const source = { tenant, hashes: definition === undefined ? [hash] : [hash, definition.hash] };
  // Made once: functions of the workflow may observe the task.
  const command = await startCommand(plan, { hash, definition }, request);
  assertMessageSize(command.bodies, 'The task');
  if (!starting.known.has(tenant, source.hashes)) await prepare(starting, request, source);
  for (let attempt = 0; ; attempt++) {
    const told = starting.known.hasWebhooks(tenant);
    const register = { name: webhookRegister(tenant), hasEntries: told };
    const assumes = omitUndefined({ plan: hash, register, text: definition?.hash });
    const start = told ? { ...command, origin: { ...command.origin, told } } : command;
    try {
      return await verdictFor(starting.access.submit(starting.access.cellOf(run), start, assumes).verdict);
    } catch (error) {
      if (!(error instanceof AssumptionUnmet) || attempt === attempts) throw error;
    }
    await prepare(starting, request, source);
  }
}

interface Source {
  readonly tenant: TenantId;
  /** Hashes of the plan and of the text. */
  readonly hashes: readonly string[];
}

/** Stores the workflow of a start, and learns whether the tenant has webhooks. */
async function prepare(
  { access, store, known }: Starting,
  request: StartRequest,
  { tenant, hashes }: Source,
): Promise<void> {
  const [has] = await Promise.all([
    hasWebhooks(store, tenant),
    access.plans.save(request.workflow),
    saveDefinition(store, request.definition),
  ]);
  known.note(tenant, hashes, has);
}
