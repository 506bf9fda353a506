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
 * The way from commands to a commit. All commands for one run that arrive in a process while a commit of that run is
 * under way are decided together in the next one, so that many branches that settle at once cost a few commits instead
 * of one, and a conflict, each. The process keeps the folded state of the runs it works on: a commit that finds the
 * run moved on gets the events it missed in the same round trip, folds them, and decides again.
 * Commit and wakes are sent without waiting for each other: a wake that comes of a refused commit finds no activation
 * with its token and is dropped.
 */

/** Outcome of a command. */
export type Verdict =
  | { readonly type: 'accepted' }
  /** It no longer applies, such as a second result of one activation, or an answer that came too late. */
  | { readonly type: 'refused'; readonly code: string; readonly message: string };

/** A command on its way. */
export interface DispatchedCommand {
  /**
   * Fulfilled when the commit and its wakes have been sent, or need not be. Whatever is sent after that on the same
   * connection is carried out after them.
   */
  readonly sent: Promise<void>;
  /** Outcome of the command, once it is committed. */
  readonly verdict: Promise<Verdict>;
}

/** A run as its workers see it. */
export interface OpenRun {
  readonly plan: Plan;
  /** A live view: it moves on with every commit of this process. Read it without awaiting in between. */
  readonly state: StateView;
}

/** Commands decided in one commit at most; the rest waits for the next. */
const batchSize = 256;

/** A run in this process: its state as of the last commit that this process knows. */
export interface CachedRun {
  readonly run: RunId;
  plan: Plan | undefined;
  state: State;
  version: number;
  nonce: string;
  /** Time of the last commit, in milliseconds since 1970: the next one is not before it. */
  at: number;
  readonly waiting: QueuedCommand[];
  /** Commands are being committed, or will be as soon as it is their turn. */
  draining: boolean;
  /** Number of actions that change the cached run or wait to do so; they run one after the other. */
  claims: number;
  turn: Promise<void>;
}

/** Creates the cached run of which nothing is known yet. */
export const emptyCachedRun = (run: RunId): CachedRun => ({
  run,
  plan: undefined,
  state: new State(),
  version: 0,
  nonce: '',
  at: 0,
  waiting: [],
  draining: false,
  claims: 0,
  turn: Promise.resolve(),
});

/** Runs an action that changes a cached run, such as a commit or catching up, after all earlier ones. */
export async function withRunLock<T>(cached: CachedRun, action: () => Promise<T>): Promise<T> {
  const before = cached.claims === 0 ? undefined : cached.turn;
  let done = () => {};
  cached.turn = new Promise((resolve) => {
    done = resolve;
  });
  cached.claims++;
  if (before !== undefined) await before;
  try {
    return await action();
  } finally {
    cached.claims--;
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
  /** Tells people of something that went wrong and heals by itself. */
  readonly report: (message: string, error: unknown) => void;
  /** What lists of runs show after this decision, if that has changed. */
  readonly summarise: (cell: CachedRun, decision: Decision) => Pick<Commit, 'summary' | 'formerly' | 'asking'>;
  /** Told when a run has ended: nothing of it needs to be kept. */
  readonly ended: (run: RunId) => void;
  /** Told after each commit. */
  readonly committed: (cell: CachedRun, decision: Decision) => void;
}

/** Queues a command for its run. A command that crashes `decide` is a bug, and its verdict an Unworkable that is thrown. */
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
      // Only what cannot be written is refused, and not what came with it.
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
    // What this process knows of the store's clock may be behind what the last process to commit knew.
    const moment = { run: cached.run, at: Math.max(cached.at, store.now()), nonce: context.nonce() };
    const { decision, verdicts } = decide(plan, cached.state, { commands, moment, limits: context.limits });
    if (decision.events.length === 0) return verdicts;
    // What the commit refers to is there before it; and once it is on its way, nothing is waited for.
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
    // By the end of this turn both have handed what they send to the connection.
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

/** The plan of a run that is being started is the one the command names. */
async function planFor(context: CommitContext, cached: CachedRun, commands: readonly Command[]): Promise<Plan> {
  const hash =
    cached.state.get('run')?.plan ??
    commands.flatMap((command) => (command.type === 'start' || command.type === 'fork' ? [command.plan] : []))[0];
  if (cached.plan !== undefined || hash === undefined) return cached.plan ?? emptyPlan;
  try {
    cached.plan = await context.planOf(hash);
    return cached.plan;
  } catch (error) {
    // Ending a run must be possible just when its plan cannot be loaded.
    if (commands.every(({ type }) => type === 'fail' || type === 'cancel' || type === 'stop')) return emptyPlan;
    throw error;
  }
}

/** Stands for a plan that there is none of. */
export const emptyPlan: Plan = { compat: false, graphs: new Map() };

/** The agenda has the wakes too, so one that is lost here only costs the caretaker's patience. */
async function wake({ queue, report }: CommitContext, wakes: readonly Wake[]): Promise<void> {
  try {
    await queue.wake(wakes);
  } catch (error) {
    report('wakes were not queued; the caretaker will do it', error);
  }
}

/** Brings a cached run, under its lock, to where a commit found the run. Returns false when the run is gone. */
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

/** Replaces a cached run, under its lock, by what the store holds. Returns false when there is no such run. */
export async function reload({ load }: Pick<CommitContext, 'load'>, cached: CachedRun): Promise<boolean> {
  const loaded = await load(cached.run);
  cached.plan = undefined;
  cached.state = loaded?.state ?? new State();
  cached.version = loaded?.version ?? 0;
  cached.nonce = loaded?.nonce ?? '';
  cached.at = loaded?.at ?? 0;
  return loaded !== undefined;
}
