import type { Command, CommandVerdict as Decided, Decision, Plan, RunId, RunLimits, Wake } from '@millrace/core';
import { decide } from '@millrace/core';
import { hasLongBodies, storeLongBodies } from '../blobs/long-bodies.ts';
import type { Blobs } from '../blobs/port.ts';
import type { Queue } from '../queue/port.ts';
import { outboxEntries } from '../store/outbox-entries.ts';
import type { Commit, StartAssumptions, Store } from '../store/port.ts';
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
  readonly assumes: StartAssumptions | undefined;
  readonly sent: () => void;
}

/**
 * Decides commands and commits the decision, again if another process has committed to the run meanwhile. Commit and
 * wakes are sent without waiting for each other: the wake of a refused commit finds no activation with its token and is
 * dropped.
 */
export async function commitBatch(
  context: CommitContext,
  cached: CachedRun,
  { commands, assumes, sent }: Batch,
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
      ...(assumes === undefined ? {} : { assumes }),
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
        break;
      case 'unmet':
        throw new AssumptionUnmet();
    }
  }
}

/** Thrown to the caller of a start whose commit assumed what does not hold. */
export class AssumptionUnmet extends Error {
  constructor() {
    super('The store does not have what the start of a run assumes.');
    this.name = 'AssumptionUnmet';
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
