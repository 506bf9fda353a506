import type { RunId } from '@millrace/core';
import type { Broadcast } from '../ports/broadcast.ts';
import { listen } from './listen.ts';
import type { LiveEvent, LiveOutput, LiveStep } from './live-event.ts';
import { createLiveOutputs } from './live-output.ts';

/**
 * Live output of executing steps, for the clients that watch at that moment. It is not stored, and it is sent only while
 * a client watches:
 *
 * - A watcher of a run listens to the run's topic and announces itself on the topic `watch`: with `new <run>` at first,
 *   so that publishers send the text of open outputs so far, and with `still <run>` every few seconds.
 * - A publisher listens to the topic `watch` from its first step on, and sends `who?` there once, as watchers may have
 *   started before. It sends the pieces of a step only if a watcher has announced itself within the last half minute.
 */
export interface Live {
  /** Opens the live output of a step of a run. */
  open(run: RunId, step: LiveStep): LiveOutput;
  /** Yields the live events from now on, after the text so far of open outputs; ends when the signal is aborted. */
  listen(run: RunId, signal: AbortSignal): AsyncIterable<LiveEvent>;
}

/** Creates live output over a broadcast. */
export function createLive(broadcast: Broadcast): Live {
  return { open: createLiveOutputs(broadcast), listen: (run, signal) => listen(broadcast, run, signal) };
}
