import type { CompleteStepCommand, Wake } from '@millrace/core';
import { NodeError } from '@millrace/core';
import { ForeignFormat, UnrecoverableRunError } from '@millrace/runtime';
import { ActivationAttempt } from '../context/activation-attempt.ts';
import { ActivationClock } from '../context/activation-clock.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { execute } from '../execute/execute.ts';
import { recoverFromRouting } from '../execute/execute-node.ts';
import type { ExecutionResult } from '../execute/execution-result.ts';
import { recallSteps } from '../execute/replay-steps.ts';
import type { RoutingResult } from '../route/route.ts';
import { route } from '../route/route.ts';
import { load } from './load.ts';
import { isObserved, observe } from './observe.ts';
import type { SentSettlement } from './settle.ts';
import { settle, verdictOn } from './settle.ts';
import type { AttemptResult } from './settlement.ts';
import { failedResult, resultOf } from './settlement.ts';
import { joinUnits, storeUnits } from './store-units.ts';

/** Attempts at an activation whose state, or whose steps, moved under each of them. */
const maxAttempts = 20;
const movedTooOften = `The state of the node, or of its run, moved ${maxAttempts} times under its activation.`;
/** Refusals of a result that say so. */
const retriedRefusals: ReadonlySet<string> = new Set([
  'STATE_MOVED',
  'STEPS_LOST',
  'STEP_COMPLETED',
  'STEP_UNKNOWN',
  'UNITS_MOVED',
]);

/**
 * Works on one wake: load → execute → route → observe → settle → confirm. A wake that no longer holds is dropped without
 * effect. Whatever goes wrong in the node, in a condition or in the plan settles the activation as failed, so that a run
 * that cannot continue ends with a reason instead of coming back.
 *
 * It returns when the settlement is on its way, not when it has arrived: the queue then takes the job off and fetches
 * the next one in the same packet, which halves the round trips. Should the settlement be refused or lost, the truth
 * is still in the run: the activation lives, and the agenda wakes it. `pendingSettlements` holds what is to be confirmed.
 */
export async function activate(
  worker: WorkerContext,
  wake: Wake,
  stopSignal: AbortSignal,
  deaths: number,
): Promise<void> {
  const clock = new ActivationClock(worker.clock);
  try {
    const sent = await attemptOnce(worker, { wake, stopSignal, clock, deaths });
    if (sent === undefined) return clock.end();
    worker.pendingSettlements.set(sent, confirm(worker, sent));
  } catch (error) {
    await failUnrecoverableRun(worker, wake, error).finally(() => clock.end());
  }
}

/** A wake with what is the same for all attempts at its activation. */
interface WokenActivation {
  readonly wake: Wake;
  readonly stopSignal: AbortSignal;
  readonly clock: ActivationClock;
  readonly deaths?: number;
}

/** Makes one attempt at an activation, up to sending its settlement; undefined when there is nothing to be settled. */
async function attemptOnce(
  worker: WorkerContext,
  { wake, stopSignal, clock, deaths = 0 }: WokenActivation,
): Promise<SentSettlement | undefined> {
  const loaded = load(worker, wake);
  const context = loaded instanceof Promise ? await loaded : loaded;
  if (context === undefined) return undefined;
  const recall = recallSteps(worker, context);
  const attempt = new ActivationAttempt({ worker, context, stopSignal, clock, recall });
  worker.supervisor.begin(attempt);
  let result: AttemptResult;
  let completes: CompleteStepCommand | undefined;
  try {
    if (deaths >= worker.maxDeaths) result = await failedResult(attempt, workerDied(deaths));
    else result = await resultOfNode(attempt);
    try {
      const taking = attempt.takeStepResult();
      completes = taking instanceof Promise ? await taking : taking;
    } catch (error) {
      result = await resultWithoutStep(attempt, result, error);
    }
  } catch (error) {
    await attempt.abandon();
    if (!attempt.isInterruptedBy(error)) throw error;
    attempt.log.info({ err: error }, 'an attempt was abandoned');
    return undefined;
  } finally {
    worker.supervisor.end(attempt);
  }
  return settle(attempt, result, completes);
}

/** Error of an activation that is not executed any more, because it may be what ends the processes of workers. */
const workerDied = (deaths: number): NodeError =>
  new NodeError(
    'WORKER_DIED',
    `${deaths} workers died while they executed this activation, so it is not executed again. Look at the logs of the workers for the cause, and resume the run when it is mended.`,
  );

/** Executes, routes and observes. A failure of the node is a result, too. */
async function resultOfNode(attempt: ActivationAttempt): Promise<AttemptResult> {
  try {
    return await finish(attempt, await routeOrRecover(attempt, await executeInParts(attempt)));
  } catch (error) {
    if (attempt.isInterruptedBy(error)) throw error;
    return failedResult(attempt, error);
  }
}

interface Routed {
  readonly executed: ExecutionResult;
  readonly routed: RoutingResult;
}

async function finish(attempt: ActivationAttempt, { executed, routed }: Routed): Promise<AttemptResult> {
  const observed = isObserved(attempt) ? await observeStored(attempt, executed) : undefined;
  const result = resultOf(attempt, { executed, routed, observed });
  return result instanceof Promise ? await result : result;
}

/** Makes the result of a node whose last step has a result that can never be stored: that is a failure of the node. */
async function resultWithoutStep(
  attempt: ActivationAttempt,
  { completed }: AttemptResult,
  error: unknown,
): Promise<AttemptResult> {
  if (attempt.isInterruptedBy(error)) throw error;
  if (completed === undefined) return failedResult(attempt, error);
  try {
    const executed = recoverFromRouting(attempt, completed, error);
    return await finish(attempt, { executed, routed: await route(attempt, executed) });
  } catch (failure) {
    if (attempt.isInterruptedBy(failure)) throw failure;
    return failedResult(attempt, failure);
  }
}

/** Observes a result once the results of all steps are stored: functions of the installation may act on it. */
async function observeStored(attempt: ActivationAttempt, executed: ExecutionResult) {
  await attempt.storeSteps();
  return observe(attempt, executed);
}

/**
 * Executes an activation. Of a large fan-out, most units are stored before the result that opens it, and most of their results are
 * joined before the one that ends it; units that an earlier attempt has stored are compared with those of a small one, too.
 */
async function executeInParts(attempt: ActivationAttempt): Promise<ExecutionResult> {
  if (attempt.context.record.part === 'join') await joinUnits(attempt);
  const executed = await execute(attempt);
  if (executed.type !== 'split') return executed;
  const isLarge = executed.units.length > attempt.worker.runs.limits.unitsPerCommit;
  return isLarge || attempt.context.record.stored !== undefined ? storeUnits(attempt, executed) : executed;
}

/** Routes a result. One that its conditions and processors fail on is a failure of its node, which is routed in turn. */
async function routeOrRecover(attempt: ActivationAttempt, executed: ExecutionResult): Promise<Routed> {
  try {
    return { executed, routed: await route(attempt, executed) };
  } catch (error) {
    if (executed.type !== 'completed' || attempt.isInterruptedBy(error)) throw error;
    const recovered = recoverFromRouting(attempt, executed, error);
    return { executed: recovered, routed: await route(attempt, recovered) };
  }
}

/**
 * Waits for a settlement to arrive, and tries again when the result is built on what has moved; it is no longer pending
 * then. Never throws.
 */
async function confirm(worker: WorkerContext, first: SentSettlement): Promise<void> {
  const { wake, stopSignal, clock } = first.attempt;
  try {
    let sent: SentSettlement | undefined = first;
    for (let attempts = 1; sent !== undefined; attempts++) {
      const verdict = await verdictOn(sent);
      if (verdict.type === 'accepted') return;
      if (!retriedRefusals.has(verdict.code))
        return sent.attempt.log.debug({ code: verdict.code }, 'a result came too late');
      if (attempts === maxAttempts) throw new UnrecoverableRunError('INTERNAL', movedTooOften, undefined);
      sent = await attemptOnce(worker, { wake, stopSignal, clock });
    }
  } catch (error) {
    await failUnrecoverableRun(worker, wake, error).catch((unsettled: unknown) => {
      const { run, activation } = wake;
      worker.log.error({ err: unsettled, run, activation }, 'a result was not stored; its activation is woken again');
    });
  } finally {
    worker.pendingSettlements.delete(first);
    clock.end();
  }
}

/** Fails a run that no worker can continue; leaves one of another format alone. Throws any other error again. */
async function failUnrecoverableRun(worker: WorkerContext, wake: Wake, error: unknown): Promise<void> {
  if (error instanceof ForeignFormat) return worker.foreignFormatLog.note(error);
  if (!(error instanceof UnrecoverableRunError)) throw error;
  const { run, activation } = wake;
  worker.log.error({ err: error, run, activation }, 'a run cannot be continued and fails');
  await worker.runs.submit(run, { type: 'fail', error: { ...error.failure, activation } });
}
