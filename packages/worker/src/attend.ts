import type { Settlement } from '@millrace/core';
import type { Crew } from './activate.ts';
import type { Assignment } from './assignment.ts';

/** Work that takes longer than this is announced in the journal. */
const announceAfterMs = 50;
/** How often a worker looks whether its run still wants the result. */
const lookEveryMs = 1000;

/**
 * Stays with a piece of work: tells the journal that it has begun once it takes long enough to be seen, and aborts it
 * when the run has ended without it or the worker stops. Abandoned work is nobody's failure.
 */
export async function attend(
  crew: Crew,
  { assignment, stopping }: { readonly assignment: Assignment; readonly stopping: AbortSignal },
  work: (signal: AbortSignal) => Promise<Settlement>,
): Promise<Settlement | 'abandoned'> {
  const { wake } = assignment;
  const ended = new AbortController();
  const announce = setTimeout(() => {
    crew.runs.submit(wake.run, { type: 'claim', activation: wake.activation, token: wake.token, worker: crew.worker }).catch((error: unknown) => {
      crew.log.warn({ err: error, run: wake.run }, 'the start of an activation could not be told');
    });
  }, announceAfterMs);
  const look = setInterval(() => {
    wanted(crew, assignment).then(
      (is) => {
        if (!is) ended.abort(new Error('the run has ended'));
      },
      (error: unknown) => crew.log.warn({ err: error, run: wake.run }, 'a run could not be looked at'),
    );
  }, lookEveryMs);
  const signal = AbortSignal.any([stopping, ended.signal]);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    return 'abandoned';
  } finally {
    clearTimeout(announce);
    clearInterval(look);
  }
}

async function wanted({ runs }: Crew, { wake }: Assignment): Promise<boolean> {
  const open = await runs.refresh(wake.run);
  return open?.state.get('run')?.status === 'running' && open.state.get(`activation/${wake.activation}`)?.token === wake.token;
}
