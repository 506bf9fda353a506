import type { ActivationId, Command, RunId } from '@millrace/core';
import { bodyOf, omitUndefined, RequestError } from '@millrace/core';
import type { RunProjection } from '@millrace/core/projection';
import { artifactContent, artifactsOf, fileVersionsOf } from '../activations/artifacts.ts';
import { readHeads } from '../activations/message-heads.ts';
import { blobsForRun } from '../blobs/run-contents.ts';
import type { CachedRun, DispatchedCommand, Verdict } from '../commit/cached-run.ts';
import { assertMessageSize, newMessage } from '../commit/new-bodies.ts';
import { publishCommit } from '../commit/publish-commit.ts';
import type { RunCache, RunsOptions } from '../commit/run-cache.ts';
import { createRunCache } from '../commit/run-cache.ts';
import { createRunControl } from '../commit/run-control.ts';
import { verdictFor } from '../commit/unrecoverable-run.ts';
import type { RunDescription, Runs, Task } from '../contract/runs.ts';
import { createLive } from '../live/live.ts';
import { createTenantEvents } from '../live/tenant-events.ts';
import type { RemovalOptions } from '../maintenance/retention/remove-run.ts';
import { removeRun, sweepBlobs } from '../maintenance/retention/remove-run.ts';
import { createLocalBroadcast } from '../ports/broadcast.ts';
import { createDescendants } from '../replay/descendants.ts';
import { createRecordings } from '../replay/recordings.ts';
import { installationId } from '../resources/installation.ts';
import { beginRun, StartPreparations } from './begin-run.ts';
import { describeRun } from './describe.ts';
import { readRunGraphs } from './run-graph.ts';
import { searchContents } from './search-contents.ts';
import { decisionCommand, onlyTask, openTasks } from './tasks.ts';
import { watch } from './watch.ts';

/** Everything that can be done with runs, on any store and queue. */
export function createRuns(options: RunsOptions & Pick<RemovalOptions, 'archive'>): Runs {
  const { store, blobs, instrumentation, broadcast = createLocalBroadcast() } = options;
  const tenantEvents = createTenantEvents(broadcast);
  const cache = createRunCache({
    ...options,
    committed(commit) {
      instrumentation?.committed?.(commit);
      publishCommit(tenantEvents, commit);
    },
  });
  const starting = { cache, store, preparations: new StartPreparations(store, cache.plans) };
  /**
   * Submits a command, at first to the state in memory. An outcome counts once the store has confirmed the state that it
   * was decided on: by a commit since the call began, or by a read.
   */
  async function order(run: RunId, command: Command): Promise<void> {
    const cached = cache.cachedOf(run);
    const before = cached.version;
    let verdict = before > 0 ? await verdictFor(cache.submit(cached, command)) : undefined;
    if (verdict === undefined || cached.version === before) {
      verdict = await verdictFor(cache.submit(await cache.known(run), command));
    }
    if (verdict.type === 'refused') throw new RequestError(verdict.code, verdict.message);
  }

  async function dispatch(run: RunId, command: Command): Promise<DispatchedCommand> {
    const cached = await cache.fresh(run, () => true);
    if (cached === undefined) return { sent: Promise.resolve(), verdict: Promise.resolve(unknownRun(run)) };
    return cache.dispatch(cached, command);
  }

  return {
    start: async (request) => (await beginRun(starting, request)).run,
    startIfAbsent: (request) => beginRun(starting, request),
    async exists(run) {
      const cached = await cache.fresh(run, () => false);
      return cached !== undefined && cache.isKept(cached);
    },
    async confirm(run) {
      const cached = await cache.fresh(run, () => true);
      if (cached === undefined) return { type: 'diverged' };
      const { version, nonce } = cached;
      return (await store.confirm?.({ run, version, nonce })) ?? { type: 'confirmed' };
    },
    ...createDescendants({ cache, store, blobs, tenantEvents }),
    ...createRunReads(cache, options),
    async answer(run, named, { message, by }) {
      const { activation, question } = named ?? onlyTask(await cache.known(run));
      const bodies = [bodyOf(message)];
      assertMessageSize(bodies, 'The answer');
      const author = by === undefined ? {} : { by };
      const place = omitUndefined({ activation, question });
      await order(run, { type: 'answer', ...place, answer: newMessage(message, 0), ...author, bodies });
    },
    decide: async (run, question, decision) => order(run, decisionCommand(await cache.known(run), question, decision)),
    ...createRunControl(order, async (run) => cache.planOf(await cache.known(run))),
    async remove(run) {
      await removeOrRefuse(run, { ...options, tenantEvents });
      cache.forget(run);
    },
    watch: (run, after, signal) => watch(store, run, { after, signal }),
    open(run, activation, token) {
      const isFresh = ({ state }: CachedRun) => state.get(`activation/${activation}`)?.token === token;
      return cache.remembered(run, isFresh) ?? cache.opened(run, isFresh);
    },
    async refresh(run) {
      const cached = await cache.fresh(run, () => false);
      return cached && { plan: await cache.planOf(cached), state: cached.state };
    },
    submit(run, command) {
      const cached = cache.cachedOf(run);
      return cached.version > 0 ? cache.submit(cached, command) : dispatch(run, command).then(({ verdict }) => verdict);
    },
    dispatch(run, command) {
      const cached = cache.cachedOf(run);
      return cached.version > 0 ? cache.dispatch(cached, command) : dispatch(run, command);
    },
    ...createRecordings({ store, blobs, plans: cache.plans }),
    bodies: (run, ids) => cache.bodies.read(run, ids),
    messages: cache.messages,
    memories: store,
    endOf: store.endOf,
    installation: { id: () => installationId(store.registry), isDurable: store.durable },
    blobs,
    blobsFor: (run) => blobsForRun({ store, blobs, limits: cache.limits }, run),
    rates: options.rates,
    live: createLive(broadcast),
    tenantEvents,
    limits: cache.limits,
    now: () => store.now(),
  };
}

type RunReads = Pick<
  Runs,
  | 'describe'
  | 'describeStarted'
  | 'list'
  | 'count'
  | 'graphs'
  | 'projection'
  | 'heads'
  | 'tasks'
  | 'artifacts'
  | 'artifact'
  | 'fileVersions'
>;

/** Creates the read operations of runs. */
const createRunReads = (cache: RunCache, { store, blobs }: RunsOptions): RunReads => ({
  describe: async (run, view) => describeCached(cache, await cache.fresh(run, () => false), view),
  describeStarted: async (run) => describeCached(cache, await cache.fresh(run, () => true)),
  list: ({ text, ...query }) =>
    text === undefined ? store.runs(query) : searchContents({ store, blobs }, { ...query, text }),
  count: (scope) => store.countRuns(scope),
  async projection(run, at) {
    const cached = await cache.fresh(run, () => false);
    if (cached === undefined) return undefined;
    return at === undefined ? cache.projections.latest(cached) : cache.projections.at(cached, at);
  },
  heads: (run, refs, chars) => readHeads({ store, blobs }, run, { refs, chars }),
  graphs: (run, at) => readRunGraphs({ cache, now: () => store.now() }, run, at),
  async tasks(run) {
    const cached = await cache.known(run);
    const tasks = openTasks(cached, await cache.planOf(cached));
    if (tasks.length === 0) return tasks;
    const projection = await cache.projections.latest(cached);
    return tasks.map((task) => ({ ...task, ...askedOf(projection, task.activation) }));
  },
  async artifact(run, id, digest) {
    const { state } = await cache.known(run);
    return artifactContent({ store, blobs }, run, { state, id, ...(digest === undefined ? {} : { digest }) });
  },
  async fileVersions(run, id) {
    const { state } = await cache.known(run);
    return fileVersionsOf(store, run, { state, id });
  },
  async artifacts(run, activation) {
    const { state } = await cache.known(run);
    return artifactsOf(store, run, activation === undefined ? { state } : { state, activation });
  },
});

async function describeCached(
  cache: RunCache,
  cached: CachedRun | undefined,
  view?: 'head',
): Promise<RunDescription | undefined> {
  if (cached === undefined) return undefined;
  return describeRun(cached, {
    plan: await cache.planOf(cached),
    messages: async (refs) => cache.messages(cached.run, refs),
    ...omitUndefined({ view }),
  });
}

/** Returns since when an activation asks, and if its node has asked before. */
function askedOf({ live, graphs }: RunProjection, activation: ActivationId): Pick<Task, 'askedAt' | 'askedBefore'> {
  const asking = live.get(activation);
  if (asking === undefined) return {};
  const { graph, node, unit, waitsFor } = asking;
  const { runs = 0, activations = 0 } = graphs.get(graph)?.nodes.get(node) ?? {};
  // The units of a fan-out are activations of one node, and none is the repetition of another.
  const isRepeated = unit === undefined ? activations > 1 : runs > 0;
  return {
    ...(waitsFor === undefined ? {} : { askedAt: waitsFor.since }),
    ...(isRepeated ? { askedBefore: true } : {}),
  };
}

async function removeOrRefuse(run: RunId, removing: RemovalOptions): Promise<void> {
  const removal = await removeRun(run, removing);
  if (removal === 'absent') throw new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
  if (removal === 'live') {
    throw new RequestError('RUN_NOT_ENDED', `The run ${run} has not ended; cancel it first: millrace cancel ${run}`);
  }
  await sweepBlobs(removing);
}

const unknownRun = (run: RunId): Verdict => ({
  type: 'refused',
  code: 'RUN_UNKNOWN',
  message: `There is no run ${run}.`,
});
