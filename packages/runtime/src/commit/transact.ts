import type { Command, CommandVerdict, Decision, Plan, RunId, RunLimits, Wake } from '@millrace/core';
import { decide } from '@millrace/core';
import { hasLongBodies, storeLongBodies } from '../blobs/long-bodies.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Queue } from '../queue/port.ts';
import { outboxEntries } from '../store/outbox-entries.ts';
import type { Commit, CommitResult, StartPreconditions, Store } from '../store/port.ts';
import { usageCounts } from '../store/usage-counts.ts';
import type { CachedRun, RunSource } from './cached-run.ts';
import { catchUp } from './cached-run.ts';
import { assertCommitFits } from './commit-size.ts';

/** Dependencies of commits. */
export interface CommitContext extends RunSource {
  readonly store: Store;
  readonly blobs: Blobs;
  readonly queue: Queue;
  readonly nonce: () => string;
  readonly limits: RunLimits;
  /** Reports a failure that repairs itself. */
  readonly report: (message: string, error: unknown) => void;
  /** Returns the summary for lists of runs after this decision, if it has changed. */
  readonly summarise: (cached: CachedRun, decision: Decision) => Pick<Commit, 'summary' | 'formerly' | 'asking'>;
  /** Called when a run has ended, so that what is kept of it can be freed. */
  readonly ended: (run: RunId) => void;
  /** Called after each commit. */
  readonly committed: (cached: CachedRun, decision: Decision) => void;
}

/** Commands that are decided together. */
interface Batch {
  readonly commands: readonly Command[];
  readonly preconditions: StartPreconditions | undefined;
  readonly sent: () => void;
}

/**
 * Decides commands and commits the decision, again if another process has committed to the run meanwhile. */
export async function commitBatch(
  context: CommitContext,
  cached: CachedRun,
  { commands, preconditions, sent }: Batch,
): Promise<readonly CommandVerdict[]> {
  for (;;) {
    const plan = cached.plan ?? (await planFor(context, cached, commands));
    // The clock of this process may be behind the clock of the process that made the last commit.
    const moment = { run: cached.run, at: Math.max(cached.at, context.store.now()), nonce: context.nonce() };
    const { decision, verdicts } = decide(plan, cached.state, { commands, moment, limits: context.limits });
    if (decision.events.length === 0) return verdicts;
    const result = await send(context, cached, { decision, moment, preconditions, sent });
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
        break;
      case 'unmet':
        throw new PreconditionUnmet();
    }
  }
}

/** A decision that is to be committed. */
interface Decided extends Pick<Batch, 'preconditions' | 'sent'> {
  readonly decision: Decision;
  /** Time and nonce of the commit. */
  readonly moment: { readonly at: number; readonly nonce: string };
}

/**
 * Sends a commit and its wakes without waiting for each other: the wake of a commit that others have overtaken finds no
 * activation with its token and is dropped.
 */
async function send(
  context: CommitContext,
  cached: CachedRun,
  { decision, moment, preconditions, sent }: Decided,
): Promise<CommitResult> {
  // Blobs are stored before the commit that refers to them; once the commit is sent, nothing is awaited.
  const stored = hasLongBodies(decision.bodies) ? await withBlobs(context, decision) : decision;
  assertCommitFits(stored, context.limits);
  const commit: Commit = {
    run: cached.run,
    version: cached.version,
    nonce: cached.nonce,
    next: moment.nonce,
    at: moment.at,
    decision: stored,
    before: cached.state,
    ...context.summarise(cached, decision),
    ...outboxEntries(cached, decision),
    ...usageCounts(cached, decision, moment.at),
    ...(preconditions === undefined ? {} : { preconditions }),
  };
  const committing = context.store.commit(commit);
  // A start may be refused for its preconditions, and its wake would be counted for a run that does not exist.
  const waking = preconditions === undefined ? wake(context, decision.wakes) : undefined;
  // Both writes are handed to the connection before the current turn of the event loop ends.
  process.nextTick(sent);
  const result = await committing;
  if (waking !== undefined) await waking;
  else if (result.type === 'committed') await wake(context, decision.wakes);
  return result;
}

const withBlobs = async ({ blobs }: CommitContext, decision: Decision) => ({
  ...decision,
  bodies: await storeLongBodies(blobs, decision.bodies),
});

/** Thrown to the caller of a start whose preconditions are not met. */
export class PreconditionUnmet extends Error {
  constructor() {
    super('The preconditions of the start of a run are not met.');
    this.name = 'PreconditionUnmet';
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
function wake(context: CommitContext, wakes: readonly Wake[]): Promise<void> | undefined {
  return wakes.length === 0 ? undefined : queueWakes(context, wakes);
}

async function queueWakes({ queue, report }: CommitContext, wakes: readonly Wake[]): Promise<void> {
  try {
    await queue.wake(wakes);
  } catch (error) {
    report('wakes were not queued; the caretaker will do it', error);
  }
}
