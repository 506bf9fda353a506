import type { Replay, Wake } from '@millrace/core';
import { liveActivation } from '@millrace/core';
import type { OpenRun } from '@millrace/runtime';
import { BodyMissing, UnrecoverableRunError } from '@millrace/runtime';
import type { ActivationContext } from '../context/activation-context.ts';
import { loadActivationContext } from '../context/activation-context.ts';
import type { WorkerContext } from '../context/worker-context.ts';

type LoadResult = ActivationContext | undefined | Promise<ActivationContext | undefined>;

/**
 * Loads the activation of a wake, synchronously when this process has it in memory; undefined when the wake no longer
 * holds, and is dropped.
 */
export function load(worker: WorkerContext, wake: Wake): LoadResult {
  const loaded = loadOnce(worker, wake);
  return loaded instanceof Promise ? loaded.catch((error: unknown) => loadAgain(worker, wake, error)) : loaded;
}

/** Loads an activation again after this error, if a message of it is missing. */
async function loadAgain(worker: WorkerContext, wake: Wake, error: unknown): Promise<ActivationContext | undefined> {
  if (!(error instanceof BodyMissing)) throw error;
  // A store that has stepped back has lost messages that this process remembers; its current state may make sense.
  await worker.runs.refresh(wake.run);
  try {
    return await loadOnce(worker, wake);
  } catch (still) {
    throw still instanceof BodyMissing ? new UnrecoverableRunError('INTERNAL', still.message, still) : still;
  }
}

function loadOnce(worker: WorkerContext, wake: Wake): LoadResult {
  const open = worker.runs.open(wake.run, wake.activation, wake.token);
  return open instanceof Promise ? open.then((read) => loadOpen(worker, wake, read)) : loadOpen(worker, wake, open);
}

function loadOpen(worker: WorkerContext, wake: Wake, open: OpenRun | undefined): LoadResult {
  const live = liveIn(open, wake);
  if (live === undefined) {
    worker.log.debug({ run: wake.run, activation: wake.activation }, 'dropped a stale wake');
    return undefined;
  }
  const replay = live.state.get('origin')?.replay;
  if (replay === undefined) return loadActivationContext(worker.runs, live);
  return loadReplayed(worker, wake, replay);
}

/** Loads an activation of a replay with its recorded counterpart. */
async function loadReplayed(worker: WorkerContext, wake: Wake, replay: Replay): Promise<ActivationContext | undefined> {
  const replayed = await worker.runs.replayedStep(wake.run, wake.activation, replay);
  const open = await worker.runs.open(wake.run, wake.activation, wake.token);
  const live = liveIn(open, wake);
  return live === undefined ? undefined : loadActivationContext(worker.runs, { ...live, replayed });
}

function liveIn(open: OpenRun | undefined, wake: Wake) {
  if (open === undefined) return undefined;
  const { plan, state } = open;
  const live = liveActivation(state, wake);
  return live.type === 'refused' ? undefined : { wake, plan, state, record: live.record };
}
