import { liveActivation } from '@millrace/core';
import type { Assignment } from '../context/activation-context.ts';
import { Interrupted } from '../context/interrupted.ts';
import type { Crew } from '../context/worker-context.ts';

/** Work that takes longer than this is announced in the journal. */
const announceAfterMs = 50;
/** How often a worker looks whether its run still wants the result. */
const lookEveryMs = 500;

/**
 * Stays with a piece of work: tells the journal that it has begun once it takes long enough to be seen, and aborts it
 * when the run has ended without it or the worker stops. Abandoned work is nobody's failure.
 */
export async function attend<T>(
  crew: Crew,
  { assignment, stopping }: { readonly assignment: Assignment; readonly stopping: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | 'abandoned'> {
  const over = new AbortController();
  const stop = () => over.abort(stopping.reason);
  const { wake } = assignment;
  const heed = (task: Promise<unknown>) => {
    task.catch((error: unknown) => crew.log.warn({ err: error }, 'a run at work could not be reached'));
  };
  let look: ReturnType<typeof setInterval> | undefined;
  const announce = setTimeout(() => {
    // What is over before that does not cost a listener.
    if (stopping.aborted) return stop();
    stopping.addEventListener('abort', stop);
    heed(
      crew.runs.submit(wake.run, {
        type: 'claim',
        activation: wake.activation,
        token: wake.token,
        worker: crew.worker,
      }),
    );
    look = setInterval(() => heed(abortUnlessWanted(crew, assignment, over)), lookEveryMs);
  }, announceAfterMs);
  try {
    return await work(over.signal);
  } catch (error) {
    if (!(error instanceof Interrupted) && !over.signal.aborted) throw error;
    crew.log.info({ err: error }, 'an attempt was given up');
    return 'abandoned';
  } finally {
    clearTimeout(announce);
    clearInterval(look);
    stopping.removeEventListener('abort', stop);
  }
}

async function abortUnlessWanted({ runs }: Crew, { wake }: Assignment, over: AbortController): Promise<void> {
  const open = await runs.refresh(wake.run);
  const wanted = open !== undefined && liveActivation(open.state, wake).type === 'live';
  if (!wanted) over.abort(new Error('the run has been stopped, or has ended, without this activation'));
}
