import type {
  Command,
  CommandVerdict as Decided,
  Decision,
  Plan,
  RunId,
  RunLimits,
  StateView,
  Wake,
} from '@millrace/core';
import { Draft, decide, evolve, hasEnded, State } from '@millrace/core';
import { hasLongBodies, storeLongBodies } from '../blobs/long-bodies.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Queue } from '../queue/port.ts';
import type { Loaded } from '../store/loaded.ts';
import { outboxEntries } from '../store/outbox-entries.ts';
import type { Commit, CommitResult, Store } from '../store/port.ts';
import { refusalOf } from './commit-refusal.ts';
import { assertCommitFits } from './commit-size.ts';
import { unworkable } from './unworkable.ts';

/*
 * Path from commands to a commit. All commands for one run that arrive in a process while a commit of that run is in
 * progress are decided together in the next one, so that many branches that settle at the same time cost a few commits
 * instead of one commit, and one conflict, each. The process keeps the folded state of the runs it works on: when a
 * commit finds that the run has moved on, its reply contains the missed events; the process folds them and decides
 * again. Commit and wakes are sent without waiting for each other: the wake of a refused commit finds no activation
 * with its token and is dropped.
 */

/** Outcome of a command. */
export type Verdict =
  | { readonly type: 'accepted' }
  /** The command no longer applies, such as a second result of one activation, or a late answer. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string };

/** A command that was submitted. */
export interface DispatchedCommand {
  /**
   * Fulfilled when the commit and its wakes have been sent, or need not be. Whatever is sent after that on the same
   * connection is executed after them.
   */
  readonly sent: Promise<void>;
  /** Outcome of the command, once it is committed. */
  readonly verdict: Promise<Verdict>;
}

/** A run as its workers see it. */
export interface OpenRun {
  readonly plan: Plan;
  /** Live view of the state: it changes with every commit of this process. Read it without awaiting in between. */
  readonly state: StateView;
}

/** Maximum number of commands in one commit; the others wait for the next one. */
const batchSize = 256;

/** A run in this process: its state as of the last commit that this process knows. */
export interface CachedRun {
  readonly run: RunId;
  plan: Plan | undefined;
  state: State;
  version: number;
  nonce: string;
  /** Time of the last commit, in milliseconds since 1970: the next one is not earlier. */
  at: number;
  readonly waiting: QueuedCommand[];
  /** Commands are being committed, or will be as soon as they get the lock. */
  draining: boolean;
  /** Number of actions that change the cached run or wait to do so; they run one after the other. */
  pendingActions: number;
  lastAction: Promise<void>;
}

/** Creates the cached run before anything has been read of it. */
export const emptyCachedRun = (run: RunId): CachedRun => ({
  run,
  plan: undefined,
  state: new State(),
  version: 0,
  nonce: '',
  at: 0,
  waiting: [],
  draining: false,
  pendingActions: 0,
  lastAction: Promise.resolve(),
});

/** Runs an action that changes a cached run, such as a commit or catching up, after all earlier ones. */
export async function withRunLock<T>(cached: CachedRun, action: () => Promise<T>): Promise<T> {
  const before = cached.pendingActions === 0 ? undefined : cached.lastAction;
  let done = () => {};
  cached.lastAction = new Promise((resolve) => {
    done = resolve;
  });
  cached.pendingActions++;
  if (before !== undefined) await before;
  try {
    return await action();
  } finally {
    cached.pendingActions--;
    done();
  }
}

interface QueuedCommand {
  readonly command: Command;
  readonly sent: () => void;
  readonly resolve: (verdict: Verdict) => void;
  readonly reject: (error: unknown) => void;
}

/** Dependencies of commits. */
export interface CommitContext {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly nonce: () => string;
  readonly limits: RunLimits;
  /** The compiled plan of a run that is known to exist. */
  readonly planOf: (hash: string) => Promise<Plan>;
  /** Reads a run from the store; undefined when there is no such run. */
  readonly load: (run: RunId) => Promise<Loaded | undefined>;
  /** Reports a failure that repairs itself. */
  readonly report: (message: string, error: unknown) => void;
  /** Returns the summary for lists of runs after this decision, if it has changed. */
  readonly summarise: (cached: CachedRun, decision: Decision) => Pick<Commit, 'summary' | 'formerly' | 'asking'>;
  /** Called when a run has ended, so that what is kept of it can be freed. */
  readonly ended: (run: RunId) => void;
  /** Called after each commit. */
  readonly committed: (cached: CachedRun, decision: Decision) => void;
}

/**
 * Queues a command for its run. A command that crashes `decide` is a bug; its outcome is an Unworkable that is thrown.
 */
export function submit(context: CommitContext, cached: CachedRun, command: Command): DispatchedCommand {
  let noteSent = () => {};
  const sent = new Promise<void>((resolve) => {
    noteSent = resolve;
  });
  const verdict = new Promise<Verdict>((resolve, reject) => {
    cached.waiting.push({ command, sent: noteSent, resolve, reject });
    if (!cached.draining) void drain(context, cached);
  });
  return { sent, verdict };
}

async function drain(context: CommitContext, cached: CachedRun): Promise<void> {
  cached.draining = true;
  while (cached.waiting.length > 0) await withRunLock(cached, () => processBatch(context, cached));
  cached.draining = false;
  const run = cached.state.get('run');
  if (run !== undefined && hasEnded(run)) context.ended(cached.run);
}

async function processBatch(context: CommitContext, cached: CachedRun): Promise<void> {
  await processTogether(context, cached, cached.waiting.splice(0, batchSize));
}

async function processTogether(
  context: CommitContext,
  cached: CachedRun,
  batch: readonly QueuedCommand[],
): Promise<void> {
  try {
    const sent = () => {
      for (const waiting of batch) waiting.sent();
    };
    const commands = batch.map(({ command }) => command);
    const verdicts = await commitBatch(context, cached, { commands, sent });
    sent();
    batch.forEach(({ resolve, reject }, at) => {
      const verdict = verdicts[at] ?? { type: 'crashed', error: new Error('a command got no verdict') };
      if (verdict.type === 'crashed') reject(unworkable(verdict.error));
      else resolve(verdict);
    });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined && batch.length > 1) {
      // Refuses only the command that cannot be written, not those that were decided with it.
      const middle = Math.ceil(batch.length / 2);
      await processTogether(context, cached, batch.slice(0, middle));
      await processTogether(context, cached, batch.slice(middle));
      return;
    }
    for (const waiting of batch) {
      waiting.sent();
      waiting.reject(refusal ?? error);
    }
  }
}

interface Batch {
  readonly commands: readonly Command[];
  readonly sent: () => void;
}

async function commitBatch(
  context: CommitContext,
  cached: CachedRun,
  { commands, sent }: Batch,
): Promise<readonly Decided[]> {
  const { store } = context;
  for (;;) {
    const plan = cached.plan ?? (await planFor(context, cached, commands));
    // The clock of this process may be behind the clock of the process that made the last commit.
    const moment = { run: cached.run, at: Math.max(cached.at, store.now()), nonce: context.nonce() };
    const { decision, verdicts } = decide(plan, cached.state, { commands, moment, limits: context.limits });
    if (decision.events.length === 0) return verdicts;
    // Blobs are stored before the commit that refers to them; once the commit is sent, nothing is awaited.
    const bodies = hasLongBodies(decision.bodies)
      ? await storeLongBodies(context.blobs, decision.bodies)
      : decision.bodies;
    const stored = { ...decision, bodies };
    assertCommitFits(stored, context.limits);
    const commit: Commit = {
      run: cached.run,
      version: cached.version,
      nonce: cached.nonce,
      next: moment.nonce,
      at: moment.at,
      decision: stored,
      ...context.summarise(cached, decision),
      ...outboxEntries(cached, decision),
    };
    const committing = store.commit(commit);
    const waking = decision.wakes.length === 0 ? undefined : wake(context, decision.wakes);
    // Both writes are handed to the connection before the current turn of the event loop ends.
    process.nextTick(sent);
    const result = await committing;
    if (waking !== undefined) await waking;
    switch (result.type) {
      case 'committed':
        cached.state.apply(decision.writes);
        cached.version = result.version;
        cached.nonce = moment.nonce;
        cached.at = moment.at;
        context.committed(cached, decision);
        return verdicts;
      case 'behind':
      case 'diverged':
        await catchUp(context, cached, result);
    }
  }
}

/** Returns the plan of a run. For a run that is being started, the command names it. */
async function planFor(context: CommitContext, cached: CachedRun, commands: readonly Command[]): Promise<Plan> {
  const hash =
    cached.state.get('run')?.plan ??
    commands.flatMap((command) => (command.type === 'start' || command.type === 'fork' ? [command.plan] : []))[0];
  if (cached.plan !== undefined || hash === undefined) return cached.plan ?? emptyPlan;
  try {
    cached.plan = await context.planOf(hash);
    return cached.plan;
  } catch (error) {
    // A run must be able to end even when its plan cannot be loaded.
    if (commands.every(({ type }) => type === 'fail' || type === 'cancel' || type === 'stop')) return emptyPlan;
    throw error;
  }
}

/** Placeholder for a plan that cannot be loaded. */
export const emptyPlan: Plan = { compat: false, graphs: new Map() };

/** Queues wakes. The agenda has them, too: for a lost wake, the caretaker only needs a few seconds more. */
async function wake({ queue, report }: CommitContext, wakes: readonly Wake[]): Promise<void> {
  try {
    await queue.wake(wakes);
  } catch (error) {
    report('wakes were not queued; the caretaker will do it', error);
  }
}

/** Updates a cached run, under its lock, to the version that a commit found. Returns false when the run is gone. */
export async function catchUp(
  context: Pick<CommitContext, 'load' | 'planOf'>,
  cached: CachedRun,
  result: Exclude<CommitResult, { type: 'committed' }>,
): Promise<boolean> {
  const hash = cached.state.get('run')?.plan;
  if (result.type === 'diverged' || hash === undefined) return reload(context, cached);
  const plan = await context.planOf(hash);
  const draft = new Draft(cached.state);
  for (const entry of result.missed) evolve({ plan, draft, at: entry.at }, entry.event);
  cached.state.apply(draft.writes());
  cached.version = result.version;
  cached.nonce = result.nonce;
  cached.at = result.missed.at(-1)?.at ?? cached.at;
  return true;
}

/** Replaces a cached run, under its lock, by the run in the store. Returns false when there is no such run. */
export async function reload({ load }: Pick<CommitContext, 'load'>, cached: CachedRun): Promise<boolean> {
  const loaded = await load(cached.run);
  cached.plan = undefined;
  cached.state = loaded?.state ?? new State();
  cached.version = loaded?.version ?? 0;
  cached.nonce = loaded?.nonce ?? '';
  cached.at = loaded?.at ?? 0;
  return loaded !== undefined;
}
