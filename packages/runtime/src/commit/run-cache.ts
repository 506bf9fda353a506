import type { Command, Message, MessageRef, Plan, RunId, RunLimits, TenantId, Vocabulary } from '@millrace/core';
import { defaultRunLimits, RequestError } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import { createShortMessages } from '../blobs/short-messages.ts';
import type { Projections } from '../journal/projection/projections.ts';
import { createProjections } from '../journal/projection/projections.ts';
import type { Blobs } from '../ports/blobs.ts';
import type { Broadcast } from '../ports/broadcast.ts';
import type { Queue } from '../ports/queue.ts';
import type { Rates } from '../ports/rates.ts';
import { assertCapacity } from '../ports/store/capacity.ts';
import { ownEvents } from '../ports/store/outbox-entries.ts';
import type { LoadedRun, StartPreconditions, Store } from '../ports/store/port.ts';
import { summarise } from '../ports/store/run-summary.ts';
import type { AppliedCommit, Instrumentation } from '../telemetry/instrumentation.ts';
import { createArchivist } from './archivist.ts';
import { Bodies } from './bodies.ts';
import type { CachedRun, DispatchedCommand, OpenRun, Verdict } from './cached-run.ts';
import { catchUp, emptyCachedRun, lockRun, reload, unlockRun } from './cached-run.ts';
import type { Plans } from './plans.ts';
import { createPlans } from './plans.ts';
import { submit } from './submit.ts';
import type { CommitContext } from './transact.ts';
import { emptyPlan, isKept } from './transact.ts';
import { UnrecoverableRunError } from './unrecoverable-run.ts';

/** Options of {@link createRuns}. */
export interface RunsOptions {
  readonly store: Store;
  /** Store of large contents, the same for all processes of a store. */
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly vocabulary: Vocabulary;
  /** Approximate number of events that the store keeps of a run's journal; default: 10,000. */
  readonly journalWindow?: number | undefined;
  /** Reports a failure that repairs itself. */
  readonly report: (message: string, error: unknown) => void;
  /** Transport of the live output of steps; default: within this process. */
  readonly broadcast?: Broadcast;
  /** Rate limits of models. */
  readonly rates: Rates;
  /** Limits of what one run may hold; default: the built-in limits. */
  readonly limits?: RunLimits;
  /** Takes the source of the runs that this process knows to be in the store. */
  readonly expectRuns?: ((known: () => readonly RunId[]) => void) | undefined;
  /** Instrumentation that observes commits. */
  readonly instrumentation?: Instrumentation;
}

/** Maximum number of runs whose folded state a process keeps. */
const maxCachedRuns = 1000;
/** Maximum number of characters of message bodies that a process keeps. */
const bodyLimit = 64 * 1024 * 1024;

/** Access of a process to its runs: the state that it caches, how commands change it, and how it is kept fresh. */
export interface RunCache {
  readonly plans: Plans;
  readonly limits: RunLimits;
  readonly projections: Projections;
  /** Returns the cached run, which is empty when nothing has been read of it yet. */
  cachedOf(run: RunId): CachedRun;
  /** Returns the cached run, caught up with the store unless `isFresh` holds; undefined when there is no such run. */
  fresh(run: RunId, isFresh: IsFresh): Promise<CachedRun | undefined>;
  /** Returns the cached run as of now. Throws RequestError when there is no such run. */
  known(run: RunId): Promise<CachedRun>;
  /**
   * Waits until replicas have the run as it is cached, so that a caller can be told of it. Returns false when the store has
   * lost it.
   */
  isKept(cached: CachedRun): Promise<boolean>;
  /** Throws RequestError if the store, or a tenant, has no room for another run. */
  assertRoom(tenant: TenantId): Promise<void>;
  /** Returns the plan of a run for display; an empty one when it cannot be loaded. */
  planOf(cached: CachedRun): Promise<Plan>;
  opened(run: RunId, isFresh: IsFresh): Promise<OpenRun | undefined>;
  /** Returns the same from memory; undefined when the store has to be read. */
  remembered(run: RunId, isFresh: IsFresh): OpenRun | undefined;
  bodies: Bodies;
  /** Returns messages; synchronously when this process has all of their bodies. */
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]>;
  /** `preconditions`: of the commit that starts the run; rejects with PreconditionUnmet if it does not hold. */
  submit(cached: CachedRun, command: Command, preconditions?: StartPreconditions): Promise<Verdict>;
  /** The same, for who goes on when the commit has been sent. */
  dispatch(cached: CachedRun, command: Command): DispatchedCommand;
  /** Frees the memory that this process uses for a run. */
  forget(run: RunId): void;
}

/** Options of {@link createRunCache}. */
interface RunCacheOptions extends Omit<RunsOptions, 'instrumentation' | 'broadcast'> {
  /** Called after each commit. */
  readonly committed: (commit: AppliedCommit) => void;
}

/** Creates the cache of the runs of a store. */
export function createRunCache(options: RunCacheOptions): RunCache {
  const { store, blobs, queue, vocabulary, report, committed, limits = defaultRunLimits } = options;
  const plans = createPlans(store, vocabulary);
  const cachedRuns = new RunCacheEntries(maxCachedRuns);
  options.expectRuns?.(() => cachedRuns.stored());
  const projections = createProjections(options);
  const bodies = new Bodies(store, blobs, bodyLimit);
  const shortMessages = createShortMessages({ bytes: store.stored, limits, report });
  const forget = (run: RunId): void => {
    cachedRuns.drop(run);
    bodies.forget(run);
  };
  const context: CommitContext = {
    store,
    blobs,
    queue,
    report,
    nonce: createNonces(),
    limits,
    planOf: async (hash) => (await plans.load(hash)).plan,
    load: (run) => loadFromStore(run, store, bodies),
    ended: forget,
    committed(cached, decision) {
      bodies.learn(cached.run, decision.bodies);
      archivist.committed(cached, decision.events);
      shortMessages.stored(cached, decision.bodies);
      committed({ run: cached.run, events: ownEvents(decision.events), state: cached.state });
    },
    summarise,
  };
  const send = (cached: CachedRun, command: Command) => submit(context, cached, { command });
  const archivist = createArchivist({ ...options, projections, send });

  async function fresh(run: RunId, isFresh: IsFresh): Promise<CachedRun | undefined> {
    const cached = cachedRuns.of(run);
    if (await refreshUntil(context, cached, isFresh)) return cached;
    cachedRuns.drop(run);
    return undefined;
  }

  return {
    plans,
    limits,
    projections,
    fresh,
    bodies,
    cachedOf: (run) => cachedRuns.of(run),
    async known(run) {
      const cached = await fresh(run, () => false);
      if (cached === undefined) throw new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
      return cached;
    },
    isKept: async (cached) => isKept(store, cached, 'caller'),
    async assertRoom(tenant) {
      await assertCapacity(store);
      await shortMessages.assertRoom(tenant);
    },
    planOf: ({ state }) => planForReading(plans, state.get('run')?.plan ?? ''),
    async opened(run, isFresh) {
      const cached = await fresh(run, isFresh);
      const hash = cached?.state.get('run')?.plan;
      if (cached === undefined || hash === undefined) return undefined;
      const plan = cached.plan ?? (await plans.load(hash)).plan;
      return { plan, state: cached.state };
    },
    remembered: (run, isFresh) => openIfFresh(cachedRuns.of(run), isFresh),
    messages: (run, refs) => bodies.messages(run, refs),
    submit: (cached, command, preconditions) => submit(context, cached, { command, preconditions }),
    dispatch(cached, command) {
      const { promise: sent, resolve } = withResolver();
      return { sent, verdict: submit(context, cached, { command, sent: resolve }) };
    },
    forget,
  };
}

/** Returns a promise, and the function that fulfils it. */
function withResolver(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

type IsFresh = (cell: CachedRun) => boolean;

/** Updates a cached run until the test accepts it; returns false when there is no such run. */
async function refreshUntil(context: CommitContext, cached: CachedRun, isFresh: IsFresh): Promise<boolean> {
  if (cached.version > 0 && isFresh(cached)) return true;
  const asked = cached.version;
  await lockRun(cached);
  try {
    if (cached.version === 0) return await reload(context, cached);
    // Another command has updated the run while this one waited for the lock.
    if (cached.version > asked && isFresh(cached)) return true;
    const result = await context.store.since({ run: cached.run, version: cached.version, nonce: cached.nonce });
    return result.type === 'committed' || (await catchUp(context, cached, result));
  } finally {
    unlockRun(cached);
  }
}

/** Returns the cached run if it is fresh enough. */
function openIfFresh(cached: CachedRun, isFresh: IsFresh): OpenRun | undefined {
  const { version, plan, state } = cached;
  return version === 0 || plan === undefined || !isFresh(cached) ? undefined : { plan, state };
}

function loadFromStore(run: RunId, store: Store, bodies: Bodies): Promise<LoadedRun | undefined> {
  bodies.forget(run);
  return store.load(run);
}

async function planForReading(plans: Plans, hash: string): Promise<Plan> {
  try {
    return (await plans.load(hash)).plan;
  } catch (error) {
    if (error instanceof UnrecoverableRunError) return emptyPlan;
    throw error;
  }
}

/** Generates nonces that no other process generates: a random prefix and a counter. */
function createNonces(): () => string {
  const own = uuid().slice(-10);
  let count = 0;
  return () => `${own}${(count++).toString(36)}`;
}

/**
 * Cache of the runs that this process works on, most recently used last. A dropped run is read again when it is needed,
 * so the limit only bounds memory; a run with commands in progress is never dropped.
 */
class RunCacheEntries {
  readonly #runs = new Map<RunId, CachedRun>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Returns the cached run; `version` 0 means that nothing has been read of it yet. */
  of(run: RunId): CachedRun {
    const known = this.#runs.get(run);
    if (known !== undefined) {
      this.#runs.delete(run);
      this.#runs.set(run, known);
      return known;
    }
    const cached = emptyCachedRun(run);
    this.#runs.set(run, cached);
    this.#shrink();
    return cached;
  }

  /** Returns the runs that were read or committed. */
  stored(): readonly RunId[] {
    return [...this.#runs.values()].filter(({ version }) => version > 0).map(({ run }) => run);
  }

  drop(run: RunId): void {
    const cached = this.#runs.get(run);
    if (cached !== undefined && !cached.isLocked) this.#runs.delete(run);
  }

  #shrink(): void {
    if (this.#runs.size <= this.#limit) return;
    for (const [run, cached] of this.#runs) {
      if (cached.isLocked) continue;
      this.#runs.delete(run);
      if (this.#runs.size <= this.#limit) return;
    }
  }
}
