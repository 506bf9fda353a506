import type { Command, Message, MessageRef, Plan, RunId, RunLimits, Vocabulary } from '@millrace/core';
import { defaultRunLimits, RequestError } from '@millrace/core';
import { v7 as uuid } from 'uuid';
import type { Blobs } from '../blobs/port.ts';
import type { Broadcast } from '../live/broadcast.ts';
import type { Queue } from '../queue/port.ts';
import type { Rates } from '../rates/port.ts';
import type { Loaded } from '../store/loaded.ts';
import { ownEvents } from '../store/outbox-entries.ts';
import type { Store } from '../store/port.ts';
import { summarise } from '../store/run-summary.ts';
import type { Instrumentation } from '../telemetry/instrumentation.ts';
import { createArchivist } from './archivist.ts';
import { Bodies } from './bodies.ts';
import { RunCacheEntries } from './cached-runs.ts';
import type { Plans } from './plans.ts';
import { createPlans } from './plans.ts';
import type { CachedRun, CommitContext, DispatchedCommand, OpenRun } from './transact.ts';
import { catchUp, emptyPlan, reload, submit, withRunLock } from './transact.ts';
import { Unworkable } from './unworkable.ts';

/** What runs are made on. */
export interface RunsOptions {
  readonly store: Store;
  /** Where large contents are; the same place for all processes of a store. */
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly vocabulary: Vocabulary;
  /** Events of a run's journal that its store keeps, roughly; default: 10,000. */
  readonly journalWindow?: number | undefined;
  /** Directory to which runs are written before they are removed; absent: they are gone. */
  readonly archiveDirectory?: string | undefined;
  /** Tells people of something that went wrong and heals by itself. */
  readonly report: (message: string, error: unknown) => void;
  /** Carries what steps say while they are at work; default: within this process. */
  readonly broadcast?: Broadcast;
  /** The lines in front of models; default: those of this process. */
  readonly rates?: Rates;
  /** What one run may hold in one place; absent: the defaults. */
  readonly limits?: RunLimits;
  /** Hears of commits. */
  readonly instrumentation?: Instrumentation;
}

/** Runs whose folded state a process keeps at most. */
const cellLimit = 1000;
/** Characters of message bodies that a process keeps at most. */
const bodyLimit = 64 * 1024 * 1024;

/** A process's way to its runs: the state that it keeps of them, and how that is moved and kept fresh. */
export interface RunCache {
  readonly plans: Plans;
  readonly limits: RunLimits;
  /** Returns the cached run, which is empty when nothing is read of it yet. */
  cellOf(run: RunId): CachedRun;
  /** Returns the cached run, caught up with the store unless `isFresh` holds; undefined when there is no such run. */
  fresh(run: RunId, isFresh: IsFresh): Promise<CachedRun | undefined>;
  /** Returns the cached run as of now. Throws RequestError when there is no such run. */
  known(run: RunId): Promise<CachedRun>;
  /** The plan of a run for people to see it by; an empty one when it cannot be loaded. */
  planOf(cell: CachedRun): Promise<Plan>;
  opened(run: RunId, isFresh: IsFresh): Promise<OpenRun | undefined>;
  /** The same from memory; undefined when the store has to be asked. */
  remembered(run: RunId, isFresh: IsFresh): OpenRun | undefined;
  bodies: Bodies;
  /** Not a promise when this process has all of them in memory. */
  messages(run: RunId, refs: readonly MessageRef[]): readonly Message[] | Promise<readonly Message[]>;
  submit(cell: CachedRun, command: Command): DispatchedCommand;
  /** Frees what this process keeps of a run. */
  forget(run: RunId): void;
}

/** Creates the cache of the runs of a store. */
export function createRunCache(options: RunsOptions): RunCache {
  const {
    store,
    blobs,
    queue,
    vocabulary,
    report,
    journalWindow,
    instrumentation,
    limits = defaultRunLimits,
  } = options;
  const plans = createPlans(store, vocabulary);
  const cells = new RunCacheEntries(cellLimit);
  const bodies = new Bodies(store, blobs, bodyLimit);
  const forget = (run: RunId): void => {
    cells.drop(run);
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
    load: (run) => loadAnew(run, store, bodies),
    ended: forget,
    committed(cell, decision) {
      bodies.learn(cell.run, decision.bodies);
      archivist.committed(cell, decision.events.length);
      instrumentation?.committed?.({ run: cell.run, events: ownEvents(decision.events), state: cell.state });
    },
    summarise,
  };
  const send = (cell: CachedRun, command: Command) => submit(context, cell, command);
  const archivist = createArchivist({ store, blobs, report, journalWindow, send });

  async function fresh(run: RunId, isFresh: IsFresh): Promise<CachedRun | undefined> {
    const cell = cells.of(run);
    if (await bringUp(context, cell, isFresh)) return cell;
    cells.drop(run);
    return undefined;
  }

  return {
    plans,
    limits,
    fresh,
    bodies,
    cellOf: (run) => cells.of(run),
    async known(run) {
      const cell = await fresh(run, () => false);
      if (cell === undefined) throw new RequestError('RUN_UNKNOWN', `There is no run ${run}.`);
      return cell;
    },
    planOf: ({ state }) => planToSeeBy(plans, state.get('run')?.plan ?? ''),
    async opened(run, isFresh) {
      const cell = await fresh(run, isFresh);
      const hash = cell?.state.get('run')?.plan;
      if (cell === undefined || hash === undefined) return undefined;
      const plan = cell.plan ?? (await plans.load(hash)).plan;
      return { plan, state: cell.state };
    },
    remembered: (run, isFresh) => openOf(cells.of(run), isFresh),
    messages: (run, refs) => bodies.messages(run, refs),
    submit: send,
    forget,
  };
}

type IsFresh = (cell: CachedRun) => boolean;

/** Makes a cached run as fresh as the test wants it; false when there is no such run. */
async function bringUp(context: CommitContext, cell: CachedRun, isFresh: IsFresh): Promise<boolean> {
  if (cell.version > 0 && isFresh(cell)) return true;
  const asked = cell.version;
  return withRunLock(cell, async () => {
    if (cell.version === 0) return reload(context, cell);
    // Somebody has moved it on while this waited for its turn.
    if (cell.version > asked && isFresh(cell)) return true;
    const result = await context.store.since({ run: cell.run, version: cell.version, nonce: cell.nonce });
    return result.type === 'committed' || catchUp(context, cell, result);
  });
}

/** A run as this process knows it, if that is fresh enough. */
function openOf(cell: CachedRun, isFresh: IsFresh): OpenRun | undefined {
  const { version, plan, state } = cell;
  return version === 0 || plan === undefined || !isFresh(cell) ? undefined : { plan, state };
}

function loadAnew(run: RunId, store: Store, bodies: Bodies): Promise<Loaded | undefined> {
  bodies.forget(run);
  return store.load(run);
}

async function planToSeeBy(plans: Plans, hash: string): Promise<Plan> {
  try {
    return (await plans.load(hash)).plan;
  } catch (error) {
    if (error instanceof Unworkable) return emptyPlan;
    throw error;
  }
}

/** Nonces that no other process makes: a random beginning, and a count. */
function createNonces(): () => string {
  const own = uuid().slice(-10);
  let count = 0;
  return () => `${own}${(count++).toString(36)}`;
}
