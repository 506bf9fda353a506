import type { ActivationId, ForkPreview, RunId, TenantId } from '@millrace/core';
import { RequestError, withoutTenant, withTenant } from '@millrace/core';
import type { Artifact } from '../activations/artifacts.ts';
import { versionContent } from '../activations/artifacts.ts';
import type { Content } from '../blobs/content.ts';
import type { RunControl } from '../commit/run-control.ts';
import { scopedRunControl } from '../commit/run-control.ts';
import type {
  Answer,
  ForkRequest,
  ReplayRequest,
  RunDescription,
  Runs,
  StartRequest,
  StartResult,
  Task,
} from '../contract/runs.ts';
import type { PlainEntry } from '../events/plain-entry.ts';
import { plainEntries, plainEntry } from '../events/plain-entry.ts';
import type { Live } from '../live/live.ts';
import type { EventGap, TenantEvent } from '../live/tenant-events.ts';
import type {
  RunCounts,
  RunOrigin,
  RunPage,
  RunPlace,
  RunQuery,
  RunScope,
  RunSummary,
  Store,
  WorkflowRuns,
} from '../ports/store/port.ts';
import type { Batches } from '../resources/batches.ts';
import { createBatches } from '../resources/batches.ts';
import type { BulkOrders } from '../resources/bulk-orders.ts';
import { createBulkOrders } from '../resources/bulk-orders.ts';
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
import type { InboxCounts, InboxPage, InboxQuery, InboxTask } from '../runs/inbox.ts';
import { countTasks, findTask, listTasks } from '../runs/inbox.ts';
import { openTaskAttachment } from '../runs/task-attachment.ts';
import { publishedBatches, publishedBulkOrders, publishedClaims } from './published.ts';
import type { RunViews } from './run-views.ts';
import { runViews } from './run-views.ts';

/**
 * Runs of one tenant, by the ids that the tenant knows. The holder of only a TenantRuntime cannot reach data of another
 * tenant: ids are converted on their way in and out, and a name that contains a tenant is unknown.
 */
export interface TenantRuntime extends RunControl, RunViews {
  readonly tenant: TenantId;
  readonly workflows: Workflows;
  readonly files: Files;
  readonly claims: Claims;
  readonly webhooks: Webhooks;
  readonly schedules: Schedules;
  readonly batches: Batches;
  readonly bulkOrders: BulkOrders;
  start(request: StartRequest): Promise<RunId>;
  /** Starts a run and returns whether this call started it. */
  startIfAbsent(request: StartRequest): Promise<StartResult>;
  /** `head`: without the outputs of nodes, which may be long. */
  describe(run: RunId, view?: 'head'): Promise<RunDescription | undefined>;
  list(query: Omit<RunQuery, 'tenant'>): Promise<RunPage>;
  count(scope: Omit<RunScope, 'tenant'>): Promise<RunCounts>;
  /** Returns the runs of each of these workflows, in their order. */
  runsOf(workflows: readonly string[]): Promise<readonly WorkflowRuns[]>;
  /** Answers the open task of an activation. Throws RequestError, also if another person has claimed it. */
  answer(run: RunId, activation: ActivationId, answer: Answer): Promise<void>;
  /** Returns the open questions of a run. Throws RequestError when there is no such run. */
  tasks(query: Omit<InboxQuery, 'tenant'>): Promise<InboxPage>;
  /** Counts open questions, and those that a person has claimed. */
  countTasks(query: Pick<InboxQuery, 'workflow'>, person: string): Promise<InboxCounts>;
  /** Returns one question, open or closed. Throws RequestError when it was never asked. */
  task(run: RunId, activation: ActivationId): Promise<InboxTask>;
  /** Returns a file in the input of an open question. Throws RequestError. */
  taskAttachment(run: RunId, activation: ActivationId, id: string): Promise<Content>;
  /** Returns the files that the run's nodes, or one activation, have written. Throws RequestError. */
  artifacts(run: RunId, activation?: ActivationId): Promise<readonly Artifact[]>;
  artifact(run: RunId, id: string, digest?: string): Promise<Content>;
  fileVersions(run: RunId, id: string): Promise<readonly Artifact[]>;
  /** Returns the content of a file as it was listed, even when it has changed since. Throws RequestError. */
  version(artifact: Artifact): Promise<Content>;
  /** Removes a run that has ended. Throws RequestError. */
  remove(run: RunId): Promise<void>;
  replay(run: RunId, request: ReplayRequest): Promise<RunId>;
  fork(run: RunId, request: ForkRequest): Promise<RunId>;
  previewFork(run: RunId, at: ActivationId): Promise<ForkPreview>;
  /** Yields entries after `after` as they happen; ends after `run.finished`, or when the signal is aborted. */
  watch(run: RunId, after: string, signal: AbortSignal): AsyncIterable<PlainEntry>;
  /** Yields the live events of a run. */
  listen(run: RunId, signal: AbortSignal): ReturnType<Live['listen']>;
  /** Yields events of the tenant's lists, from now on; the first one is a gap. */
  events(signal: AbortSignal): AsyncIterable<TenantEvent | EventGap>;
  journal(run: RunId, after: string, limit: number): Promise<readonly PlainEntry[]>;
  /** Resolves when the store answers; it sends at most one request a second. */
  ping(): Promise<void>;
}

/** The runtime that a TenantRuntime is a part of. */
interface TenantRuntimeSource {
  readonly runs: Runs;
  readonly store: Store;
}

/** Settles as the promise does; errors name runs as their tenant does. */
type ScopeErrors = <T>(promise: Promise<T>) => Promise<T>;

/** Removes the tenant's prefix from the messages of errors. */
const scopeErrorsTo =
  (tenant: TenantId): ScopeErrors =>
  (promise) =>
    promise.catch((error: unknown) => {
      if (!(error instanceof RequestError)) throw error;
      throw new RequestError(error.code, error.message.replaceAll(withTenant(tenant, ''), ''));
    });

/** The part of an installation that belongs to a tenant. */
export function createTenantRuntime({ runs, store }: TenantRuntimeSource, tenant: TenantId): TenantRuntime {
  const inside = (name: string): RunId => {
    // Only a name that carries no tenant is one of this tenant's.
    if (withoutTenant(name) !== name) throw new RequestError('RUN_UNKNOWN', `There is no run ${name}.`);
    return withTenant(tenant, name);
  };
  const scoped = scopeErrorsTo(tenant);
  const claims = publishedClaims(createClaims(store, tenant), runs.tenantEvents, tenant);
  const inbox = { runs, store, claims, blobs: runs.blobs };
  const startIfAbsent = async (request: StartRequest): Promise<StartResult> => {
    const result = await scoped(runs.startIfAbsent({ ...request, tenant, ...within(request.run, inside) }));
    return { ...result, run: withoutTenant(result.run) };
  };
  return {
    tenant,
    workflows: createWorkflows(store, tenant),
    webhooks: createWebhooks(store, tenant),
    schedules: createSchedules(store, tenant),
    batches: publishedBatches(createBatches(store, tenant), runs.tenantEvents, tenant),
    bulkOrders: publishedBulkOrders(createBulkOrders(store, tenant), runs.tenantEvents, tenant),
    start: async (request) => (await startIfAbsent(request)).run,
    startIfAbsent,
    async describe(run, view) {
      const description = await scoped(runs.describe(inside(run), view));
      return description === undefined ? undefined : shown(description);
    },
    async list({ after, of, ...query }) {
      const from = after === undefined ? {} : { after: { ...after, run: inside(after.run) } };
      const origin = of === undefined ? {} : { of: inside(of) };
      const { next, ...page } = await runs.list({ ...query, ...from, ...origin, tenant });
      return { ...page, runs: page.runs.map(shownLine), ...(next === undefined ? {} : { next: shownLine(next) }) };
    },
    count: (scope) => runs.count({ ...scope, tenant }),
    runsOf: async (workflows) => (await store.runsOf(workflows, tenant)).map(shownRuns),
    files: createFiles(store, runs.blobs, tenant),
    claims,
    async answer(run, activation, answer) {
      const owned = inside(run);
      await claims.answering(`${run}.${activation}`, answer.by, () => scoped(runs.answer(owned, activation, answer)));
    },
    async tasks({ run, after, ...query }) {
      const within = run === undefined ? {} : { run: inside(run) };
      const from = after === undefined ? {} : { after: { ...after, run: inside(after.run) } };
      const { tasks, next } = await scoped(listTasks(inbox, { ...query, ...within, ...from, tenant }));
      return { tasks: tasks.map(shownTask), ...(next === undefined ? {} : { next: shownLine(next) }) };
    },
    countTasks: (query, person) => scoped(countTasks(inbox, { ...query, tenant }, person)),
    task: async (run, activation) => shownTask(await scoped(findTask(inbox, inside(run), activation))),
    taskAttachment: (run, activation, id) => scoped(openTaskAttachment(inbox, { run: inside(run), activation, id })),
    artifacts: (run, activation) => scoped(runs.artifacts(inside(run), activation)),
    artifact: (run, id, digest) => scoped(runs.artifact(inside(run), id, digest)),
    fileVersions: (run, id) => scoped(runs.fileVersions(inside(run), id)),
    version: (artifact) => versionContent(runs.blobs, artifact),
    remove: (run) => scoped(runs.remove(inside(run))),
    ...scopedRunControl(runs, inside, scoped),
    replay: async (run, request) =>
      withoutTenant(await scoped(runs.replay(inside(run), { ...request, ...asWithin(request.as, inside) }))),
    previewFork: (run, at) => scoped(runs.previewFork(inside(run), at)),
    fork: async (run, request) =>
      withoutTenant(await scoped(runs.fork(inside(run), { ...request, ...asWithin(request.as, inside) }))),
    watch: (run, after, signal) => plainEntries(runs.watch(inside(run), after, signal)),
    listen: (run, signal) => runs.live.listen(inside(run), signal),
    events: (signal) => shownEvents(runs.tenantEvents.listen(tenant, signal)),
    journal: async (run, after, limit) => (await store.journal(inside(run), after, limit)).map(plainEntry),
    async ping() {
      await store.capacity();
    },
    ...runViews({ runs, store }, inside, scoped),
  };
}

const shownRuns = ({ count, newest }: WorkflowRuns): WorkflowRuns =>
  newest === undefined ? { count } : { count, newest: shownLine(newest) };

const within = (run: RunId | undefined, inside: (name: string) => RunId): Pick<StartRequest, 'run'> =>
  run === undefined ? {} : { run: inside(run) };

const asWithin = (as: RunId | undefined, inside: (name: string) => RunId): Pick<ForkRequest, 'as'> =>
  as === undefined ? {} : { as: inside(as) };

const shownLine = <T extends RunPlace & Pick<RunSummary, 'origin'>>(line: T): T => ({
  ...line,
  run: withoutTenant(line.run),
  ...(line.origin === undefined ? {} : { origin: shownOrigin(line.origin) }),
});

/** Replays and forks name runs by their full ids. */
const shownOrigin = ({ type, of }: RunOrigin): RunOrigin => ({
  type,
  of: type === 'replay' || type === 'fork' ? withoutTenant(of) : of,
});

async function* shownEvents(events: AsyncIterable<TenantEvent | EventGap>): AsyncGenerator<TenantEvent | EventGap> {
  for await (const event of events) {
    if (event.type === 'run') yield { type: 'run', run: shownLine(event.run) };
    else yield 'run' in event ? { ...event, run: withoutTenant(event.run) } : event;
  }
}

const shown = (description: RunDescription): RunDescription => ({
  ...shownLine(description),
  tasks: description.tasks.map(shownTask),
});

const shownTask = <T extends Task>(task: T): T => ({
  ...task,
  id: withoutTenant(task.id),
  run: withoutTenant(task.run),
});
