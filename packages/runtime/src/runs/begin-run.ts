import type { DefinitionRef, Message, MessageBody, Origin, Plan, RunId, StartCommand, TenantId } from '@millrace/core';
import {
  bodyOf,
  defaultTenant,
  omitUndefined,
  presetsOf,
  RequestError,
  tenantOf,
  textMessage,
  withTenant,
} from '@millrace/core';
import { LRUCache } from 'lru-cache';
import { v7 as uuid } from 'uuid';
import type { Verdict } from '../commit/cached-run.ts';
import { assertMessageSize, newMessage, observeTask } from '../commit/new-bodies.ts';
import type { Plans } from '../commit/plans.ts';
import type { RunCache } from '../commit/run-cache.ts';
import { PreconditionUnmet } from '../commit/transact.ts';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { StartRequest, StartResult } from '../contract/runs.ts';
import type { StartPreconditions, Store } from '../ports/store/port.ts';
import { definitionRef, saveDefinition } from '../resources/definition-text.ts';
import { hasWebhooks, webhookRegister } from '../resources/webhooks.ts';
import { titleOf } from './run-title.ts';

/** Dependencies of starts. */
interface StartContext {
  readonly cache: RunCache;
  readonly store: Store;
  readonly preparations: StartPreparations;
}

/** Starts a run, unless one with its id exists. Throws RequestError. */
export async function beginRun(starting: StartContext, request: StartRequest): Promise<StartResult> {
  const { cache } = starting;
  const run = request.run ?? withTenant(request.tenant ?? defaultTenant, `run_${uuid().replaceAll('-', '')}`);
  const known = request.run === undefined ? undefined : await cache.fresh(run, () => true);
  if (known !== undefined && (await cache.isKept(known))) return { run, started: false };
  if (request.workflow.compat === 'chatdev' && typeof request.input === 'string' && request.input.trim() === '') {
    throw new RequestError(
      'INPUT_EMPTY',
      'A workflow in compatibility mode needs a task: the original engine refuses an empty one.',
    );
  }
  await cache.assertRoom(tenantOf(run));
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
  { cache, store, preparations }: StartContext,
  request: StartRequest,
  { run, hash, plan }: NewRun,
): Promise<Verdict> {
  const definition = definitionRef(request.definition);
  // Made once: functions of the workflow may observe the task.
  const expiresAt = request.ttlMs === undefined ? undefined : store.now() + request.ttlMs;
  const command = await startCommand(plan, { hash, definition, expiresAt }, request);
  assertMessageSize(command.bodies, 'The task');
  for (let attempt = 1; ; attempt++) {
    const preparing = { request, tenant: tenantOf(run), hash, text: definition?.hash, isRepeated: attempt > 1 };
    const preconditions = await preparations.prepare(preparing);
    const told = preconditions.register.hasEntries && expiresAt === undefined;
    const start = told ? { ...command, origin: { ...command.origin, told } } : command;
    try {
      return await verdictFor(cache.submit(cache.cachedOf(run), start, preconditions));
    } catch (error) {
      if (!(error instanceof PreconditionUnmet) || attempt === attempts) throw error;
    }
  }
}

/** Data stored for a run before it starts. */
interface StoredSource {
  readonly hash: string;
  readonly definition: DefinitionRef | undefined;
  /** Time at which the run is removed; absent: it is not temporary. */
  readonly expiresAt: number | undefined;
}

/** Returns the command that starts a run: the task and the initial messages of nodes, with their bodies. */
async function startCommand(
  plan: Plan,
  { hash, definition, expiresAt }: StoredSource,
  request: StartRequest,
): Promise<StartCommand> {
  const { input, timeoutMs, budget } = request;
  const task = typeof input === 'string' ? [textMessage('user', input, 'TASK')] : input;
  const bodies: MessageBody[] = [];
  const bring = (message: Message) => {
    bodies.push(bodyOf(message));
    return newMessage(message, bodies.length - 1);
  };
  const root = plan.graphs.get('');
  return {
    type: 'start',
    plan: hash,
    origin: {
      ...originOf(request, titleOf(task, request.workflow.graph.title)),
      ...omitUndefined({ definition, expiresAt }),
    },
    ...omitUndefined({ timeoutMs }),
    ...(plan.budget === undefined && budget === undefined ? {} : { budget: { ...plan.budget, ...budget } }),
    task: task.map(bring),
    presets: root === undefined ? [] : presetsOf(root, bring),
    bodies,
    ...(root?.termination === undefined ? {} : { observed: await observeTask(root.termination, task) }),
  };
}

function originOf(
  { workflow, name, tags, trace, webhook, batch, priority, startedBy, recordRequests }: StartRequest,
  title: string | undefined,
): Origin {
  const { organization } = workflow.graph;
  const labels = [...new Set([...(organization === undefined ? [] : [organization]), ...(tags ?? [])])];
  return {
    workflow: name ?? workflow.graph.id,
    ...omitUndefined({ title }),
    ...(labels.length === 0 ? {} : { tags: labels }),
    ...omitUndefined({ trace, webhook, batch, priority, startedBy, recordRequests }),
  };
}

/** Maximum number of tenants, and of workflows with their texts, that a process remembers. */
const maxRemembered = 1_000;

/** A start that the store is prepared for. */
interface PreparedStart {
  readonly request: StartRequest;
  readonly tenant: TenantId;
  /** Hash of the workflow. */
  readonly hash: string;
  /** Hash of its text; undefined: the run is started without one. */
  readonly text: string | undefined;
  /** The preconditions that were returned before were not met. */
  readonly isRepeated: boolean;
}

/**
 * Prepares the store for starts: stores the workflow, and learns whether the tenant has webhooks. A process does so once for
 * each workflow and tenant; the commits of starts assume that nothing has changed, and check it.
 */
export class StartPreparations {
  readonly #store: Store;
  readonly #plans: Plans;
  /** Tenants that had webhooks, or had none, when that was asked last. */
  readonly #webhooks = new LRUCache<TenantId, boolean>({ max: maxRemembered });
  /** Hashes of workflows, and of their texts, that this process has stored. */
  readonly #stored = new LRUCache<string, true>({ max: maxRemembered });

  constructor(store: Store, plans: Plans) {
    this.#store = store;
    this.#plans = plans;
  }

  /** Returns what the commit of a start assumes, after preparing the store for it if need be. */
  async prepare({ request, tenant, hash, text, isRepeated }: PreparedStart): Promise<StartPreconditions> {
    const isStored = this.#stored.has(hash) && (text === undefined || this.#stored.has(text));
    if (isRepeated || !isStored || !this.#webhooks.has(tenant)) {
      const [has] = await Promise.all([
        hasWebhooks(this.#store, tenant),
        this.#plans.save(request.workflow),
        saveDefinition(this.#store, request.definition),
      ]);
      this.#webhooks.set(tenant, has);
      this.#stored.set(hash, true);
      if (text !== undefined) this.#stored.set(text, true);
    }
    const register = { name: webhookRegister(tenant), hasEntries: this.#webhooks.get(tenant) ?? false };
    return omitUndefined({ plan: hash, register, text });
  }
}
