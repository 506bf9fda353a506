import type { CompleteStepCommand, Settlement } from '@millrace/core';
import { enclosingTerminations, liveActivation } from '@millrace/core';
import type { AttemptEnd, Verdict } from '@millrace/runtime';
import type { ActivationAttempt } from '../context/activation-attempt.ts';
import { observeTerminations } from './observe.ts';
import type { AttemptResult } from './settlement.ts';

/** A settlement on its way to the store. */
export interface SentSettlement {
  readonly attempt: ActivationAttempt;
  readonly result: AttemptResult;
  /** Verdict of the store. */
  readonly verdict: Promise<Verdict>;
}

/**
 * Sends the result of an attempt, together with the result of its last step if that is not stored yet. The returned promise is
 * fulfilled when the settlement is on its way, not when it has arrived; the files of the attempt are closed then.
 */
export async function settle(
  attempt: ActivationAttempt,
  result: AttemptResult,
  completes: CompleteStepCommand | undefined,
): Promise<SentSettlement> {
  const { wake, worker } = attempt;
  try {
    if (result.completed !== undefined && worker.observationMutex.isLocked(wake.run)) {
      const stored = completes === undefined ? accepted : await worker.runs.submit(wake.run, completes);
      const settled = stored.type === 'accepted' ? await settleObserved(attempt, result) : stored;
      await attempt.close();
      return { attempt, result, verdict: Promise.resolve(settled) };
    }
    const { command } = result;
    const dispatched = worker.runs.dispatch(wake.run, completes === undefined ? command : { completes, ...command });
    const { sent, verdict } = dispatched instanceof Promise ? await dispatched : dispatched;
    // `verdictOn` handles a failure, once the settlement has been sent.
    verdict.catch(() => undefined);
    await sent;
    const closing = attempt.close();
    if (closing !== undefined) await closing;
    return { attempt, result, verdict };
  } catch (error) {
    attempt.end({ outcome: 'abandoned' });
    throw error;
  }
}

const accepted: Verdict = { type: 'accepted' };

/** Waits for the verdict on a settlement, and ends its attempt. */
export async function verdictOn({ attempt, result, verdict }: SentSettlement): Promise<Verdict> {
  try {
    const first = await verdict;
    const settled = isMoved(first) ? await settleObserved(attempt, result) : first;
    attempt.end(settled.type === 'accepted' ? endOf(result.command.result) : { outcome: 'refused' });
    return settled;
  } catch (error) {
    attempt.end({ outcome: 'abandoned' });
    throw error;
  }
}

/** Returns whether a termination was observed with a state that it no longer has. */
const isMoved = (verdict: Verdict): boolean => verdict.type === 'refused' && verdict.code === 'TERMINATION_MOVED';

const endOf = (result: Settlement): AttemptEnd =>
  result.type === 'failed' ? { outcome: 'failed', code: result.error.code } : { outcome: result.type };

/**
 * Settles a result after another activation has moved the state of a termination: the terminations observe it again, as
 * often as it takes. Of those that try at the same time one succeeds each time. In this process they do so one after the
 * other, and keep their jobs meanwhile, so that no more are under way than the worker takes on.
 */
function settleObserved(attempt: ActivationAttempt, { command, completed }: AttemptResult): Promise<Verdict> {
  const { context, wake, worker, stopSignal: signal } = attempt;
  const { run } = wake;
  const { result } = command;
  return worker.observationMutex.run(run, async () => {
    for (;;) {
      const open = await worker.runs.refresh(run);
      const live = open === undefined ? undefined : liveActivation(open.state, wake);
      if (open === undefined || live?.type !== 'live' || completed === undefined || result.type !== 'completed')
        return worker.runs.submit(run, command);
      const terminations = enclosingTerminations(open.plan, open.state, live.record);
      const observed = await observeTerminations(context, completed, { terminations, signal });
      const verdict = await worker.runs.submit(run, { ...command, result: { ...result, observed } });
      if (!isMoved(verdict)) return verdict;
    }
  });
}
