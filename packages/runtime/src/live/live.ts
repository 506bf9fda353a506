import type { RunId } from '@millrace/core';
import type { Broadcast } from './broadcast.ts';
import { listen } from './listen.ts';
import type { LiveEvent, LiveOutput, LiveStep } from './live-event.ts';
import { createLiveOutputs } from './live-output.ts';

/**
 * What steps say while they are at work, for whoever watches just then. Nothing of it is stored, and nothing is sent
 * where nobody watches:
 *
 * - Who watches a run listens to its topic and says so on the topic `watch`: `new <run>` at first, so that those who
 *   speak give their text so far, and `still <run>` every few seconds.
 * - Who speaks listens to the topic `watch` from its first step on, and asks `who?` there once, as watchers may have come
 *   before. It sends the pieces of a step only while a watcher has been heard of within the last half minute.
 */
export interface Live {
  /** Begins to speak for a step of a run. */
  open(run: RunId, step: LiveStep): LiveOutput;
  /** Yields the live events from now on, after the text so far of open outputs; ends when the signal is aborted. */
  listen(run: RunId, signal: AbortSignal): AsyncIterable<LiveEvent>;
}

/** Creates live output over a broadcast. */
export function createLive(broadcast: Broadcast): Live {
  return { open: createLiveOutputs(broadcast), listen: (run, signal) => listen(broadcast, run, signal) };
}
