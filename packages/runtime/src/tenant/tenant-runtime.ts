import type { RunId, TenantId } from '@millrace/core';
import { parseQuestionId, RequestError, withoutTenant, withTenant } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import type { Artifact } from '../activations/artifacts.ts';
import { versionContent } from '../activations/artifacts.ts';
import type { Content } from '../blobs/content.ts';
import type { Runs, StartRequest, StartResult } from '../contract/runs.ts';
import type { EventGap, TaskChange, TenantEvent, TenantEvents } from '../live/tenant-events.ts';
import type { RunCounts, RunPage, RunQuery, RunScope, Store, WorkflowRuns } from '../ports/store/port.ts';
import type { Batches } from '../resources/batches.ts';
import { createBatches } from '../resources/batches.ts';
import type { BulkActions } from '../resources/bulk-actions.ts';
import { createBulkActions } from '../resources/bulk-actions.ts';
import type { Files } from '../resources/files.ts';
import { createFiles } from '../resources/files.ts';
import type { Schedules } from '../resources/schedules.ts';
import { createSchedules } from '../resources/schedules.ts';
import type { Webhooks } from '../resources/webhooks.ts';
import { createWebhooks } from '../resources/webhooks.ts';
import type { Workflows } from '../resources/workflows.ts';
import { createWorkflows } from '../resources/workflows.ts';
import type { Claims } from '../runs/claims.ts';
import { createClaims } from '../runs/claims.ts';
import type { InboxCounts, InboxPage, InboxQuery } from '../runs/inbox.ts';
import { countTasks, listTasks } from '../runs/inbox.ts';
import { runForTenant, taskForTenant } from './for-tenant.ts';
import type { EntryReaders, ScopeErrors, TenantRun } from './tenant-run.ts';
import { createTenantRun } from './tenant-run.ts';

/**
 * Runs of one tenant, by the ids that the tenant knows. The holder of only a TenantRuntime cannot reach data of another
 * tenant: ids are converted on their way in and out, and a name that contains a tenant is unknown.
 */
export interface TenantRuntime {
  readonly tenant: TenantId;
  readonly workflows: Workflows;
  readonly files: Files;
  readonly claims: Claims;
  readonly webhooks: Webhooks;
  readonly schedules: Schedules;
  readonly batches: Batches;
  readonly bulkActions: BulkActions;
  start(request: StartRequest): Promise<RunId>;
  /** Starts a run and returns whether this call started it. */
  startIfAbsent(request: StartRequest): Promise<StartResult>;
  /** Returns a run by the name that the tenant knows, which need not exist. Throws RequestError for a name that carries a tenant. */
  run(name: string): TenantRun;
  list(query: Omit<RunQuery, 'tenant'>): Promise<RunPage>;
  count(scope: Omit<RunScope, 'tenant'>): Promise<RunCounts>;
  /** Returns the runs of each of these workflows, in their order. */
  runsOf(workflows: readonly string[]): Promise<readonly WorkflowRuns[]>;
  /** Returns the open questions of a run. Throws RequestError when there is no such run. */
  tasks(query: Omit<InboxQuery, 'tenant'>): Promise<InboxPage>;
  /** Counts open questions, and those that a person has claimed. */
  countTasks(query: Pick<InboxQuery, 'workflow'>, person: string): Promise<InboxCounts>;
  /** Returns the content of a file as it was listed, even when it has changed since. Throws RequestError. */
  version(artifact: Artifact): Promise<Content>;
  /** Yields events of the tenant's lists, from now on; the first one is a gap. */
  events(signal: AbortSignal): AsyncIterable<TenantEvent | EventGap>;
  /** Resolves when the store answers; it sends at most one request a second. */
  ping(): Promise<void>;
}

/** The runtime that a TenantRuntime is a part of. */
interface TenantRuntimeSource {
  readonly runs: Runs;
  readonly store: Store;
}

/** Removes the tenant's prefix from the messages of errors. */
const scopeErrorsTo =
  (tenant: TenantId): ScopeErrors =>
  (promise) =>
    promise.catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      throw new RequestError(error.code, error.message.replaceAll(withTenant(tenant, ''), ''));
    });

/** Maximum number of readers of events that a process keeps between two pages. */
const maxReaders = 32;

/** The part of an installation that belongs to a tenant. */
export function createTenantRuntime({ runs, store }: TenantRuntimeSource, tenant: TenantId): TenantRuntime {
  const inside = (name: string): RunId => {
    // Only a name that carries no tenant is one of this tenant's.
    if (withoutTenant(name) !== name) throw new RequestError('RUN_UNKNOWN', `There is no run ${name}.`);
    return withTenant(tenant, name);
  };
  const scoped = scopeErrorsTo(tenant);
  const claims = publishedClaims(createClaims(store, tenant), runs.tenantEvents, tenant);
  const inbox = { runs, store, claims };
  // Most requests read no events.
  let readers: EntryReaders | undefined;
  const openReaders = (): EntryReaders => (readers ??= new LRUCache({ max: maxReaders }));
  const startIfAbsent = async (request: StartRequest): Promise<StartResult> => {
    const result = await scoped(runs.startIfAbsent({ ...request, tenant, ...within(request.run, inside) }));
    return { ...result, run: withoutTenant(result.run) };
  };
  return {
    tenant,
    workflows: createWorkflows(store, tenant),
    webhooks: createWebhooks(store, tenant),
    schedules: createSchedules(store, tenant),
    batches: publishedBatches(createBatches(store, tenant, runs.limits.storedBytes), runs.tenantEvents, tenant),
    bulkActions: publishedBulkActions(createBulkActions(store, tenant), runs.tenantEvents, tenant),
    start: async (request) => (await startIfAbsent(request)).run,
    startIfAbsent,
    run: (name) =>
      createTenantRun({ runs, store, claims, readers: openReaders }, { name, run: inside(name), scoped, inside }),
    async list({ after, of, ...query }) {
      const from = after === undefined ? {} : { after: { ...after, run: inside(after.run) } };
      const origin = of === undefined ? {} : { of: inside(of) };
      const { next, ...page } = await runs.list({ ...query, ...from, ...origin, tenant });
      return {
        ...page,
        runs: page.runs.map(runForTenant),
        ...(next === undefined ? {} : { next: runForTenant(next) }),
      };
    },
    count: (scope) => runs.count({ ...scope, tenant }),
    runsOf: async (workflows) => (await store.runsOf(workflows, tenant)).map(countsForTenant),
    files: createFiles(store, runs.blobs, { tenant, maxBytes: runs.limits.storedBytes }),
    claims,
    async tasks({ run, after, ...query }) {
      const within = run === undefined ? {} : { run: inside(run) };
      const from = after === undefined ? {} : { after: { ...after, run: inside(after.run) } };
      const { tasks, next } = await scoped(listTasks(inbox, { ...query, ...within, ...from, tenant }));
      return { tasks: tasks.map(taskForTenant), ...(next === undefined ? {} : { next: runForTenant(next) }) };
    },
    countTasks: (query, person) => scoped(countTasks(inbox, { ...query, tenant }, person)),
    version: (artifact) => versionContent(runs.blobs, artifact),
    events: (signal) => eventsForTenant(runs.tenantEvents.listen(tenant, signal)),
    async ping() {
      await store.capacity();
    },
  };
}

const countsForTenant = ({ count, newest }: WorkflowRuns): WorkflowRuns =>
  newest === undefined ? { count } : { count, newest: runForTenant(newest) };

const within = (run: RunId | undefined, inside: (name: string) => RunId): Pick<StartRequest, 'run'> =>
  run === undefined ? {} : { run: inside(run) };

async function* eventsForTenant(events: AsyncIterable<TenantEvent | EventGap>): AsyncGenerator<TenantEvent | EventGap> {
  for await (const event of events) {
    if (event.type === 'run') yield { type: 'run', run: runForTenant(event.run) };
    else yield 'run' in event ? { ...event, run: withoutTenant(event.run) } : event;
  }
}

/** Returns the claims of a tenant, whose changes are published. */
function publishedClaims(claims: Claims, tenantEvents: TenantEvents, tenant: TenantId): Claims {
  const publish = (task: string, change: TaskChange['change']): void => {
    const { run, ...question } = parseQuestionId(task);
    tenantEvents.publish(tenant, `task/${task}`, () => ({
      type: 'task',
      change,
      run: withTenant(tenant, run),
      ...question,
    }));
  };
  return {
    ...claims,
    async claim(task, assignee, forMs) {
      const claim = await claims.claim(task, assignee, forMs);
      publish(task, 'claimed');
      return claim;
    },
    async release(task, assignee) {
      await claims.release(task, assignee);
      publish(task, 'released');
    },
  };
}

/** Returns the batches of a tenant, whose changes are published. */
function publishedBatches(batches: Batches, tenantEvents: TenantEvents, tenant: TenantId): Batches {
  const publish = (batch: string): void =>
    tenantEvents.publish(tenant, `batch/${batch}`, () => ({ type: 'batch', batch }));
  return {
    ...batches,
    async create(wanted, lines) {
      const created = await batches.create(wanted, lines);
      if (created !== undefined) publish(created.id);
      return created;
    },
    async change(id, next) {
      const changed = await batches.change(id, next);
      publish(id);
      return changed;
    },
    async remove(id) {
      const removed = await batches.remove(id);
      publish(id);
      return removed;
    },
    rows: {
      ...batches.rows,
      async move(batch, move) {
        const moved = await batches.rows.move(batch, move);
        publish(batch.id);
        return moved;
      },
    },
  };
}

/** Returns the bulk actions of a tenant, whose changes are published. */
function publishedBulkActions(actions: BulkActions, tenantEvents: TenantEvents, tenant: TenantId): BulkActions {
  const publish = (bulk: string): void => tenantEvents.publish(tenant, `bulk/${bulk}`, () => ({ type: 'bulk', bulk }));
  return {
    ...actions,
    async open(wanted) {
      const opened = await actions.open(wanted);
      publish(opened.id);
      return opened;
    },
    async note(changed) {
      await actions.note(changed);
      publish(changed.id);
    },
  };
}
