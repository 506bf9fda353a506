import type { Command, Failure, FileChange, Replay, Settlement, Wake } from '@millrace/core';
import {
  enclosingTerminations,
  failureOf,
  liveActivation,
  locateActivation,
  NodeError,
  oversizeProblem,
} from '@millrace/core';
import type { Attempt, AttemptEnd, Verdict } from '@millrace/runtime';
import { BodyMissing, NewerFormat, Unworkable } from '@millrace/runtime';
import type { ActivationContext } from '../context/activation-context.ts';
import { loadActivationContext } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import { noActivationFiles, openActivationFiles } from '../context/activation-files.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import { AttemptPostponed } from '../context/postponed.ts';
import { createSteps } from '../context/steps.ts';
import { observeTerminations, TerminationObservation } from '../context/termination-observation.ts';
import type { WorkerContext } from '../context/worker-context.ts';
import { BodyCollector } from './body-collector.ts';
import { applyBudgetAnswer } from './budget-answer.ts';
import { execute } from './execute.ts';
import { instrumented } from './instrumented.ts';
import { refuseNewSteps, replaySteps } from './replay-steps.ts';
import { superviseAttempt } from './supervise-attempt.ts';

/** How often an activation is run again because what it is built on moved under it. */
const restarts = 20;
/** Refusals of a result that say so. */
const runAgain: ReadonlySet<string> = new Set(['STATE_MOVED', 'STEPS_LOST']);

/**
 * Works on one wake: opens the run, executes the node, routes what came out, and settles, all in the run's own state.
 * A wake that no longer holds is dropped without effect. Whatever goes wrong in the node, in a condition or in the
 * plan settles the activation as failed, so that a run that cannot go on ends with a reason instead of coming back.
 *
 * It returns when the settlement is on its way, not when it has arrived: the queue then takes the job off and fetches
 * the next one in the same breath, which halves the round trips. Should the settlement be refused or lost, the truth
 * is still in the run: the activation lives, and the agenda wakes it. `pendingSettlements` holds what is still to arrive.
 */
export async function activate(worker: WorkerContext, wake: Wake, stopSignal: AbortSignal): Promise<void> {
  const arriving = await failUnworkable(worker, wake, workOn(worker, wake, { stopping: stopSignal, attempt: 1 }));
  if (arriving === undefined) return;
  const afterwards = confirm(worker, wake, arriving());
  worker.pendingSettlements.add(afterwards);
  void afterwards.then(() => worker.pendingSettlements.delete(afterwards));
}

/** Waits for a result to arrive; never throws. */
async function confirm(worker: WorkerContext, wake: Wake, arriving: Promise<void>): Promise<void> {
  try {
    await failUnworkable(worker, wake, arriving);
  } catch (error) {
    worker.log.error(
      { err: error, run: wake.run, activation: wake.activation },
      'a result was not stored; its activation is woken again',
    );
  }
}

/** Waits for something that is done for a wake. A run that nobody can go on with fails; one of a newer version is left alone. */
async function failUnworkable<T>(worker: WorkerContext, wake: Wake, done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if (error instanceof NewerFormat) {
      worker.leftAlone.note(error);
      return undefined;
    }
    if (!(error instanceof Unworkable)) throw error;
    worker.log.error(
      { err: error, run: wake.run, activation: wake.activation },
      'a run cannot be gone on with and fails',
    );
    await worker.runs.submit(wake.run, { type: 'fail', error: { ...error.failure, activation: wake.activation } });
    return undefined;
  }
}

interface Try {
  readonly stopping: AbortSignal;
  readonly attempt: number;
}

/** Works on a wake until the settlement is on its way; returns what waits for it to arrive, if there is one. */
async function workOn(
  shared: WorkerContext,
  wake: Wake,
  { stopping: stopSignal, attempt }: Try,
): Promise<(() => Promise<void>) | undefined> {
  const { run, activation, token } = wake;
  const context = await loadWithRefresh(shared, wake);
  if (context === undefined) {
    shared.log.debug({ run, activation }, 'dropped a wake that no longer holds');
    return undefined;
  }
  const { crew: worker, attempt: told, end } = instrumented(shared, context);
  const giveUp = (error: unknown): never => {
    end({ outcome: 'abandoned' });
    throw error;
  };
  const collector = new BodyCollector(context.refs);
  const observation = new TerminationObservation();
  const ended = await superviseAttempt(worker, { assignment: context, stopping: stopSignal }, (signal) =>
    settlementOf(worker, { assignment: context, attempt: told, bringing: collector, telling: observation, signal }),
  ).catch(giveUp);
  if (ended === 'abandoned') {
    end({ outcome: 'abandoned' });
    return undefined;
  }
  const { result, changes, files, steps } = ended;
  const command = {
    type: 'settle' as const,
    activation,
    token,
    result,
    ...(changes.length === 0 ? {} : { files: changes }),
    ...(steps === 0 ? {} : { steps }),
    bodies: worker.mask.hideIn(collector.bodies),
  };
  const unsettled = { wake, command, telling: observation, signal: stopSignal };
  const conclude = async (settled: Verdict) => {
    if (settled.type === 'accepted') return end(endOf(result));
    end({ outcome: 'refused' });
    if (!runAgain.has(settled.code)) {
      worker.log.debug({ code: settled.code }, 'a result came too late');
      return;
    }
    if (attempt === restarts) {
      throw new Unworkable(
        'INTERNAL',
        `The state of the node, or of its run, moved ${restarts} times under its activation.`,
        undefined,
      );
    }
    const again = await workOn(shared, wake, { stopping: stopSignal, attempt: attempt + 1 });
    await again?.();
  };
  if (result.type === 'completed' && worker.observationMutex.isLocked(run)) {
    const settled = await settleObserved(worker, unsettled).catch(giveUp);
    await files.dispose();
    return () => conclude(settled);
  }
  const { sent, verdict } = await worker.runs.dispatch(run, command);
  // Whoever gets the verdict handles its failure; until then it is nobody's.
  verdict.catch(() => undefined);
  await sent;
  await files.dispose();
  return async () => {
    const settled = await verdict.catch(giveUp);
    await conclude(isMoved(settled) ? await settleObserved(worker, unsettled).catch(giveUp) : settled);
  };
}

/** Whether a condition was observed with a state that it no longer has. */
const isMoved = (verdict: Verdict): boolean => verdict.type === 'refused' && verdict.code === 'TERMINATION_MOVED';
const endOf = (result: Settlement): AttemptEnd =>
  result.type === 'failed' ? { outcome: 'failed', code: result.error.code } : { outcome: result.type };

interface Unsettled {
  readonly wake: Wake;
  readonly command: Extract<Command, { type: 'settle' }>;
  readonly telling: TerminationObservation;
  readonly signal: AbortSignal;
}

/**
 * Settles what somebody else's delta came before: the conditions with a state look at it again, as often as it takes; of
 * those who try at the same time one gets through each time. In this process they take turns, and who comes behind them
 * keeps its job meanwhile, so that no more are under way than the worker takes on.
 */
function settleObserved(
  worker: WorkerContext,
  { wake, command, telling: observation, signal }: Unsettled,
): Promise<Verdict> {
  const { run } = wake;
  const { result } = command;
  return worker.observationMutex.run(run, async () => {
    for (;;) {
      const open = await worker.runs.refresh(run);
      const live = open === undefined ? undefined : liveActivation(open.state, wake);
      if (open === undefined || live?.type !== 'live' || result.type !== 'completed')
        return worker.runs.submit(run, command);
      const { plan, state } = open;
      const callContext = enclosingTerminations(plan, state, live.record);
      const { node } = locateActivation(plan, state, live.record);
      const observed = await observeTerminations({ terminations: callContext, node }, observation, signal);
      const settled = await worker.runs.submit(run, { ...command, result: { ...result, observed } });
      if (!isMoved(settled)) return settled;
    }
  });
}

/** What there is to do; undefined when the wake no longer holds. */
async function loadWithRefresh(worker: WorkerContext, wake: Wake): Promise<ActivationContext | undefined> {
  try {
    return await load(worker, wake);
  } catch (error) {
    if (!(error instanceof BodyMissing)) throw error;
    // A store that has stepped back has lost what this process remembers; as of now the run may make sense.
    await worker.runs.refresh(wake.run);
    return load(worker, wake).catch((still: unknown) => {
      throw still instanceof BodyMissing ? new Unworkable('INTERNAL', still.message, still) : still;
    });
  }
}

async function load(worker: WorkerContext, wake: Wake): Promise<ActivationContext | undefined> {
  const open = await worker.runs.open(wake.run, wake.activation, wake.token);
  if (open === undefined) return undefined;
  const { plan, state } = open;
  const live = liveActivation(state, wake);
  if (live.type === 'refused') return undefined;
  const replay = state.get('origin')?.replay;
  if (replay === undefined) return loadActivationContext(worker.runs, { wake, plan, state, record: live.record });
  return gatherReplay(worker, wake, replay);
}

/** The same in a replay, once its steps are there. */
async function gatherReplay(worker: WorkerContext, wake: Wake, replay: Replay): Promise<ActivationContext | undefined> {
  const replayed = await replaySteps(worker, wake, replay);
  const open = await worker.runs.open(wake.run, wake.activation, wake.token);
  if (open === undefined) return undefined;
  const { plan, state } = open;
  const live = liveActivation(state, wake);
  return live.type === 'refused'
    ? undefined
    : loadActivationContext(worker.runs, { wake, plan, state, record: live.record, rehearsal: replayed });
}

interface AttemptInput {
  readonly assignment: ActivationContext;
  readonly attempt: Attempt;
  readonly bringing: BodyCollector;
  readonly telling: TerminationObservation;
  readonly signal: AbortSignal;
}

/** What an attempt came to. */
interface AttemptResult {
  readonly result: Settlement;
  /** Files that it has changed and not told yet. */
  readonly changes: readonly FileChange[];
  readonly files: ActivationFiles;
  /** How many steps it is built on. */
  readonly steps: number;
}

async function settlementOf(
  worker: WorkerContext,
  { assignment: given, attempt, bringing: collector, telling: observation, signal }: AttemptInput,
): Promise<AttemptResult> {
  const context = await applyBudgetAnswer(worker, given);
  if ('type' in context) return { result: context, changes: [], files: noActivationFiles(worker, given), steps: 0 };
  const { wake, node } = context;
  // That a worker cannot find the files is its own trouble, and none of the node's.
  const files =
    context.files === undefined
      ? noActivationFiles(worker, context)
      : await openActivationFiles(worker, context, context.files);
  const { replayed } = context;
  const steps = createSteps(worker, {
    wake,
    attempt,
    signal,
    changes: () => files.changes(),
    unknown: replayed === undefined ? undefined : refuseNewSteps(replayed, node?.id ?? ''),
  });
  const settled = (result: Settlement, changes: readonly FileChange[]): AttemptResult => ({
    result: worker.mask.hideIn(result),
    changes,
    files,
    steps: steps.completed,
  });
  try {
    const result = await execute(worker, { context, collector, observation, signal, steps, files });
    // Processors and splitters may make messages, too.
    const message = oversizeProblem(collector.bodies, `What node "${node?.id ?? ''}" hands on`);
    if (message !== undefined) throw new NodeError('MESSAGE_TOO_LARGE', message);
    if (result.type !== 'completed' || context.terminations.length === 0) return settled(result, await files.changes());
    const observed = await observeTerminations(context, observation, signal);
    return settled({ ...result, observed }, await files.changes());
  } catch (error) {
    // What ends an attempt from outside is the worker's affair or the run's, never the node's.
    if (signal.aborted || error instanceof AttemptInterrupted) {
      await files.dispose();
      throw error;
    }
    const result: Settlement =
      error instanceof AttemptPostponed
        ? { type: 'postponed', until: Math.ceil(error.until) }
        : { type: 'failed', error: reasonOf(worker.mask.hideInError(error)) };
    return settled(result, await changesIn(files));
  }
}

/** A step that can never be stored says so itself. */
const reasonOf = (error: unknown): Failure => (error instanceof Unworkable ? error.failure : failureOf(error));

/** What a node that failed, or goes on later, has left; files that are the very reason of its failure are not kept. */
async function changesIn(files: ActivationFiles): Promise<readonly FileChange[]> {
  try {
    return await files.changes();
  } catch (error) {
    if (error instanceof NodeError) return [];
    throw error;
  }
}
