import type { Command, Failure, FileChange, Replay, Settlement, Wake } from '@millrace/core';
import { failureOf, liveActivation, NodeError, placeOf, terminationsAround, tooLarge } from '@millrace/core';
import type { Attempt, AttemptEnd, Verdict } from '@millrace/runtime';
import { BodyMissing, NewerFormat, Unworkable } from '@millrace/runtime';
import type { Assignment } from '../context/activation-context.ts';
import { assign } from '../context/activation-context.ts';
import type { ActivationFiles } from '../context/activation-files.ts';
import { bringFiles, withoutFiles } from '../context/activation-files.ts';
import { Interrupted } from '../context/interrupted.ts';
import { Postponed } from '../context/postponed.ts';
import { createSteps } from '../context/steps.ts';
import { observedBy, Telling } from '../context/termination-observation.ts';
import type { Crew } from '../context/worker-context.ts';
import { Bringing } from './body-collector.ts';
import { heedBudgetAnswer } from './budget-answer.ts';
import { perform } from './execute.ts';
import { witnessed } from './instrumented.ts';
import { nothingNew, rehearse } from './replay-steps.ts';
import { attend } from './supervise-attempt.ts';

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
 * is still in the run: the activation lives, and the agenda wakes it. `crew.afterwards` holds what is still to arrive.
 */
export async function activate(crew: Crew, wake: Wake, stopping: AbortSignal): Promise<void> {
  const arriving = await guarded(crew, wake, workOn(crew, wake, { stopping, attempt: 1 }));
  if (arriving === undefined) return;
  const afterwards = arrive(crew, wake, arriving());
  crew.afterwards.add(afterwards);
  void afterwards.then(() => crew.afterwards.delete(afterwards));
}

/** Waits for a result to arrive; never throws. */
async function arrive(crew: Crew, wake: Wake, arriving: Promise<void>): Promise<void> {
  try {
    await guarded(crew, wake, arriving);
  } catch (error) {
    crew.log.error(
      { err: error, run: wake.run, activation: wake.activation },
      'a result was not stored; its activation is woken again',
    );
  }
}

/** Waits for something that is done for a wake. A run that nobody can go on with fails; one of a newer version is left alone. */
async function guarded<T>(crew: Crew, wake: Wake, done: Promise<T>): Promise<T | undefined> {
  try {
    return await done;
  } catch (error) {
    if (error instanceof NewerFormat) {
      crew.leftAlone.note(error);
      return undefined;
    }
    if (!(error instanceof Unworkable)) throw error;
    crew.log.error(
      { err: error, run: wake.run, activation: wake.activation },
      'a run cannot be gone on with and fails',
    );
    await crew.runs.submit(wake.run, { type: 'fail', error: { ...error.failure, activation: wake.activation } });
    return undefined;
  }
}

interface Try {
  readonly stopping: AbortSignal;
  readonly attempt: number;
}

/** Works on a wake until the settlement is on its way; returns what waits for it to arrive, if there is one. */
async function workOn(
  shared: Crew,
  wake: Wake,
  { stopping, attempt }: Try,
): Promise<(() => Promise<void>) | undefined> {
  const { run, activation, token } = wake;
  const assignment = await receive(shared, wake);
  if (assignment === undefined) {
    shared.log.debug({ run, activation }, 'dropped a wake that no longer holds');
    return undefined;
  }
  const { crew, attempt: told, end } = witnessed(shared, assignment);
  const giveUp = (error: unknown): never => {
    end({ outcome: 'abandoned' });
    throw error;
  };
  const bringing = new Bringing(assignment.refs);
  const telling = new Telling();
  const ended = await attend(crew, { assignment, stopping }, (signal) =>
    settlementOf(crew, { assignment, attempt: told, bringing, telling, signal }),
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
    bodies: crew.mask.hideIn(bringing.bodies),
  };
  const unsettled = { wake, command, telling, signal: stopping };
  const conclude = async (settled: Verdict) => {
    if (settled.type === 'accepted') return end(endOf(result));
    end({ outcome: 'refused' });
    if (!runAgain.has(settled.code)) {
      crew.log.debug({ code: settled.code }, 'a result came too late');
      return;
    }
    if (attempt === restarts) {
      throw new Unworkable(
        'INTERNAL',
        `The state of the node, or of its run, moved ${restarts} times under its activation.`,
        undefined,
      );
    }
    const again = await workOn(shared, wake, { stopping, attempt: attempt + 1 });
    await again?.();
  };
  if (result.type === 'completed' && crew.observing.isTaken(run)) {
    const settled = await settleObserved(crew, unsettled).catch(giveUp);
    await files.leave();
    return () => conclude(settled);
  }
  const { sent, verdict } = await crew.runs.dispatch(run, command);
  // Whoever gets the verdict handles its failure; until then it is nobody's.
  verdict.catch(() => undefined);
  await sent;
  await files.leave();
  return async () => {
    const settled = await verdict.catch(giveUp);
    await conclude(isMoved(settled) ? await settleObserved(crew, unsettled).catch(giveUp) : settled);
  };
}

/** Whether a condition was observed with a state that it no longer has. */
const isMoved = (verdict: Verdict): boolean => verdict.type === 'refused' && verdict.code === 'TERMINATION_MOVED';
const endOf = (result: Settlement): AttemptEnd =>
  result.type === 'failed' ? { outcome: 'failed', code: result.error.code } : { outcome: result.type };

interface Unsettled {
  readonly wake: Wake;
  readonly command: Extract<Command, { type: 'settle' }>;
  readonly telling: Telling;
  readonly signal: AbortSignal;
}

/**
 * Settles what somebody else's delta came before: the conditions with a state look at it again, as often as it takes; of
 * those who try at the same time one gets through each time. In this process they take turns, and who comes behind them
 * keeps its job meanwhile, so that no more are under way than the worker takes on.
 */
function settleObserved(crew: Crew, { wake, command, telling, signal }: Unsettled): Promise<Verdict> {
  const { run } = wake;
  const { result } = command;
  return crew.observing.take(run, async () => {
    for (;;) {
      const open = await crew.runs.refresh(run);
      const live = open === undefined ? undefined : liveActivation(open.state, wake);
      if (open === undefined || live?.type !== 'live' || result.type !== 'completed')
        return crew.runs.submit(run, command);
      const { plan, state } = open;
      const around = terminationsAround(plan, state, live.record);
      const { node } = placeOf(plan, state, live.record);
      const observed = await observedBy({ around, node }, telling, signal);
      const settled = await crew.runs.submit(run, { ...command, result: { ...result, observed } });
      if (!isMoved(settled)) return settled;
    }
  });
}

/** What there is to do; undefined when the wake no longer holds. */
async function receive(crew: Crew, wake: Wake): Promise<Assignment | undefined> {
  try {
    return await gather(crew, wake);
  } catch (error) {
    if (!(error instanceof BodyMissing)) throw error;
    // A store that has stepped back has lost what this process remembers; as of now the run may make sense.
    await crew.runs.refresh(wake.run);
    return gather(crew, wake).catch((still: unknown) => {
      throw still instanceof BodyMissing ? new Unworkable('INTERNAL', still.message, still) : still;
    });
  }
}

async function gather(crew: Crew, wake: Wake): Promise<Assignment | undefined> {
  const open = await crew.runs.open(wake.run, wake.activation, wake.token);
  if (open === undefined) return undefined;
  const { plan, state } = open;
  const live = liveActivation(state, wake);
  if (live.type === 'refused') return undefined;
  const replay = state.get('origin')?.replay;
  if (replay === undefined) return assign(crew.runs, { wake, plan, state, record: live.record });
  return gatherReplay(crew, wake, replay);
}

/** The same in a replay, once its steps are there. */
async function gatherReplay(crew: Crew, wake: Wake, replay: Replay): Promise<Assignment | undefined> {
  const rehearsal = await rehearse(crew, wake, replay);
  const open = await crew.runs.open(wake.run, wake.activation, wake.token);
  if (open === undefined) return undefined;
  const { plan, state } = open;
  const live = liveActivation(state, wake);
  return live.type === 'refused' ? undefined : assign(crew.runs, { wake, plan, state, record: live.record, rehearsal });
}

interface Work {
  readonly assignment: Assignment;
  readonly attempt: Attempt;
  readonly bringing: Bringing;
  readonly telling: Telling;
  readonly signal: AbortSignal;
}

/** What an attempt came to. */
interface Settled {
  readonly result: Settlement;
  /** Files that it has changed and not told yet. */
  readonly changes: readonly FileChange[];
  readonly files: ActivationFiles;
  /** How many steps it is built on. */
  readonly steps: number;
}

async function settlementOf(
  crew: Crew,
  { assignment: given, attempt, bringing, telling, signal }: Work,
): Promise<Settled> {
  const assignment = await heedBudgetAnswer(crew, given);
  if ('type' in assignment) return { result: assignment, changes: [], files: withoutFiles(crew, given), steps: 0 };
  const { wake, node } = assignment;
  // That a worker cannot find the files is its own trouble, and none of the node's.
  const files =
    assignment.files === undefined
      ? withoutFiles(crew, assignment)
      : await bringFiles(crew, assignment, assignment.files);
  const { rehearsal } = assignment;
  const steps = createSteps(crew, {
    wake,
    attempt,
    signal,
    changes: () => files.changes(),
    unknown: rehearsal === undefined ? undefined : nothingNew(rehearsal, node?.id ?? ''),
  });
  const settled = (result: Settlement, changes: readonly FileChange[]): Settled => ({
    result: crew.mask.hideIn(result),
    changes,
    files,
    steps: steps.done,
  });
  try {
    const result = await perform(crew, { assignment, bringing, telling, signal, steps, files });
    // Processors and splitters may make messages, too.
    const message = tooLarge(bringing.bodies, `What node "${node?.id ?? ''}" hands on`);
    if (message !== undefined) throw new NodeError('MESSAGE_TOO_LARGE', message);
    if (result.type !== 'completed' || assignment.around.length === 0) return settled(result, await files.changes());
    const observed = await observedBy(assignment, telling, signal);
    return settled({ ...result, observed }, await files.changes());
  } catch (error) {
    // What ends an attempt from outside is the worker's affair or the run's, never the node's.
    if (signal.aborted || error instanceof Interrupted) {
      await files.leave();
      throw error;
    }
    const result: Settlement =
      error instanceof Postponed
        ? { type: 'postponed', until: Math.ceil(error.until) }
        : { type: 'failed', error: reasonOf(crew.mask.hideInError(error)) };
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
