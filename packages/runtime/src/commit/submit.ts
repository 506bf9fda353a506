import type { Command, CommandVerdict, CompleteStepCommand } from '@millrace/core';
import { hasEnded } from '@millrace/core';
import { TurnQuota } from '../concurrency/turn-quota.ts';
import type { CachedRun, Order, QueuedCommand, Verdict } from './cached-run.ts';
import { lockRun, unlockRun } from './cached-run.ts';
import type { CommitContext } from './transact.ts';
import { commitBatch, isOfCaller } from './transact.ts';
import { refusalOf, unrecoverable } from './unrecoverable-run.ts';

/*
 * Path from commands to a commit. All commands for one run that arrive in a process while a commit of that run is in
 * progress are decided together in the next one, so that many branches that settle at the same time cost a few commits
 * instead of one commit, and one conflict, each. The process keeps the folded state of the runs it works on: when a
 * commit finds that the run has moved on, its reply contains the missed events; the process folds them and decides
 * again.
 */

/** Maximum number of commands in one commit; the others wait for the next one. */
const batchSize = 256;

/**
 * Commits of all runs of this process: of very many commands that arrive at once, such as the answers to a thousand runs, so many
 * are decided in one turn of the event loop, in about 10 ms.
 */
const commandsPerTurn = new TurnQuota(128);

/**
 * Queues a command for its run. A command that crashes `decide` is a bug; its outcome is an UnrecoverableRunError that is thrown.
 */
export function submit(
  context: CommitContext,
  cached: CachedRun,
  { command, preconditions, sent }: Order,
): Promise<Verdict> {
  return new Promise<Verdict>((resolve, reject) => {
    cached.waiting.push({ command, preconditions, sent, resolve, reject });
    if (!cached.draining) void drain(context, cached);
  });
}

async function drain(context: CommitContext, cached: CachedRun): Promise<void> {
  cached.draining = true;
  while (cached.waiting.length > 0) {
    const locking = lockRun(cached);
    if (locking !== undefined) await locking;
    try {
      const beginning = commandsPerTurn.take(Math.min(cached.waiting.length, batchSize), {
        // The result of an activation frees its place, for which another one waits.
        completes: !cached.waiting.slice(0, batchSize).every(({ command }) => isOfCaller(command)),
      });
      if (beginning !== undefined) await beginning;
      await processTogether(context, cached, cached.waiting.splice(0, batchSize));
    } finally {
      unlockRun(cached);
    }
  }
  cached.draining = false;
  const run = cached.state.get('run');
  if (run !== undefined && hasEnded(run)) context.ended(cached.run);
}

async function processTogether(
  context: CommitContext,
  cached: CachedRun,
  batch: readonly QueuedCommand[],
): Promise<void> {
  try {
    const sent = () => {
      for (const waiting of batch) waiting.sent?.();
    };
    const commands = batch.map(({ command }) => command);
    const preconditions = batch.find((waiting) => waiting.preconditions !== undefined)?.preconditions;
    const { verdicts, waking } = await commitBatch(context, cached, { commands, preconditions, sent });
    sent();
    // The next commit does not wait for the wakes of this one.
    if (waking === undefined) conclude(batch, verdicts);
    else void waking.then(() => conclude(batch, verdicts));
  } catch (error) {
    const refusal = refusalOf(error, context.store);
    if (refusal !== undefined && batch.length > 1) {
      // Refuses only the command that cannot be written, not those that were decided with it.
      const middle = Math.ceil(batch.length / 2);
      await processTogether(context, cached, batch.slice(0, middle));
      await processTogether(context, cached, batch.slice(middle));
      return;
    }
    const [only] = batch;
    if (
      refusal !== undefined &&
      only !== undefined &&
      'completes' in only.command &&
      only.command.completes !== undefined
    )
      return processApart(context, cached, only, only.command.completes);
    for (const waiting of batch) {
      waiting.sent?.();
      waiting.reject(refusal ?? error);
    }
  }
}

/** Stores the result of a step that a command has taken along before the command, which cannot be stored together with it. */
async function processApart(
  context: CommitContext,
  cached: CachedRun,
  waiting: QueuedCommand,
  result: CompleteStepCommand,
): Promise<void> {
  const stored = new Promise<Verdict>((resolve, reject) => {
    void processTogether(context, cached, [{ ...waiting, command: result, sent: undefined, resolve, reject }]);
  });
  try {
    const verdict = await stored;
    if (verdict.type === 'refused') return waiting.resolve(verdict);
  } catch (error) {
    return waiting.reject(error);
  } finally {
    waiting.sent?.();
  }
  const { completes: _stored, ...command } = waiting.command as Command & { readonly completes?: CompleteStepCommand };
  await processTogether(context, cached, [{ ...waiting, command: command as Command }]);
}

/** Settles the commands of a batch with their verdicts. */
function conclude(batch: readonly QueuedCommand[], verdicts: readonly CommandVerdict[]): void {
  batch.forEach(({ resolve, reject }, at) => {
    const verdict = verdicts[at] ?? { type: 'crashed', error: new Error('a command got no verdict') };
    if (verdict.type === 'crashed') reject(unrecoverable(verdict.error));
    else resolve(verdict);
  });
}
