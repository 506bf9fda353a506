import { liveActivation } from '@millrace/core';
import type { ActivationContext } from '../context/activation-context.ts';
import { AttemptInterrupted } from '../context/interrupted.ts';
import type { WorkerContext } from '../context/worker-context.ts';

/** Work that takes longer than this is announced in the journal. */
const announceAfterMs = 50;
/** How often a worker looks whether its run still wants the result. */
const lookEveryMs = 500;

/**
 * Stays with a piece of work: tells the journal that it has begun once it takes long enough to be seen, and aborts it
 * when the run has ended without it or the worker stops. Abandoned work is nobody's failure.
 */
export async function superviseAttempt<T>(
  worker: WorkerContext,
  {
    assignment: context,
    stopping: stopSignal,
  }: { readonly assignment: ActivationContext; readonly stopping: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'abandoned'> {
  const over = new AbortController();
  const stop = () => over.abort(stopSignal.reason);
  const { wake } = context;
  const logFailure = (task: Promise<unknown>) => {
    task.catch((error: unknown) => worker.log.warn({ err: error }, 'a run at work could not be reached'));
  };
  let look: ReturnType<typeof setInterval> | undefined;
  const announce = setTimeout(() => {
    // What is over before that does not cost a listener.
    if (stopSignal.aborted) return stop();
    stopSignal.addEventListener('abort', stop);
    logFailure(
      worker.runs.submit(wake.run, {
        type: 'claim',
        activation: wake.activation,
        token: wake.token,
        worker: worker.worker,
      }),
    );
    look = setInterval(() => logFailure(abortUnlessWanted(worker, context, over)), lookEveryMs);
  }, announceAfterMs);
  try {
    return await work(over.signal);
  } catch (error) {
    if (!(error instanceof AttemptInterrupted) && !over.signal.aborted) throw error;
    worker.log.info({ err: error }, 'an attempt was given up');
    return 'abandoned';
  } finally {
    clearTimeout(announce);
    clearInterval(look);
    stopSignal.removeEventListener('abort', stop);
  }
}

async function abortUnlessWanted(
  { runs }: WorkerContext,
  { wake }: ActivationContext,
  over: AbortController,
): Promise<void> {
  const open = await runs.refresh(wake.run);
  const wanted = open !== undefined && liveActivation(open.state, wake).type === 'live';
  if (!wanted) over.abort(new Error('the run has been stopped, or has ended, without this activation'));
}
