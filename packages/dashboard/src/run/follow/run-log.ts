import type { RunEvent, RunHandle } from '@millrace/client';
import { isStill, missedEvents } from '../../api/stream/still.ts';
import { createActivity } from './activity.ts';
import { createArrivals } from './arrivals.ts';
import { createAttendance } from './attendance.ts';
import type { Journal, Reached } from './journal-copy.ts';
import { createJournalCopy, mostEvents } from './journal-copy.ts';
import type { LiveOutputs } from './live-outputs.ts';
import { createLiveOutputs } from './live-outputs.ts';

/*
 * Each visible tab follows a run by one stream. The stream begins after the last event that the page has of the run. Some
 * views also need the earlier events: the journal is loaded for them, unless it is too long; then the state of the run is
 * loaded instead, and these views request the parts and the past states that they show from the server.
 */

/** The events of a run as they arrive, its journal where a view needs it, and its live output. */
export interface RunLog {
  /** Returns the journal; undefined until it has been loaded, which {@link RunLog.load} begins. */
  journal(): Journal | undefined;
  /** Returns the error that stopped it. */
  error(): unknown;
  readonly liveOutputs: LiveOutputs;
  /** Follows the run while there are listeners and the page is visible; calls back with the events that have arrived. */
  subscribe(listener: (arrived: readonly RunEvent[]) => void): () => void;
  /** Loads the journal. */
  load(): void;
  /** Returns the id of the last event that listeners received, or that the page knew before. */
  position(): Promise<string>;
  /** Follows the run again: it continued after its end, or the server is back. */
  resume(): void;
}

/** Creates the log of a run. It loads nothing before it has a listener. `read` returns the progress of the run at its last reading. */
export function createRunLog(run: RunHandle, read: () => Promise<Reached>): RunLog {
  const liveOutputs = createLiveOutputs();
  const journal = createJournalCopy(run);
  let newest: string | undefined;
  const arrivals = createArrivals<RunEvent>({ apply, isHeld: isStill.get, most: mostEvents });

  function apply(events: readonly RunEvent[]): void {
    liveOutputs.settle(events);
    newest = events.at(-1)?.id ?? newest;
    journal.add(events);
    tell(events);
  }

  async function position(): Promise<string> {
    const known = newest ?? (await read()).event;
    newest ??= known;
    return newest;
  }

  async function follow(signal: AbortSignal): Promise<void> {
    const after = await position();
    await journal.load({ ...(await read()), event: after }, signal);
    if (signal.aborted) return;
    tell([]);
    for await (const one of run.follow({ after, signal })) {
      if (signal.aborted) return;
      if (one.type === 'live') liveOutputs.hear(one.said);
      else if (arrivals.add(one.event)) missedEvents.set(missedEvents.get() + 1);
    }
  }

  let unsubscribe = (): void => undefined;
  const stream = createActivity({ work: follow, failed: () => tell([]) });
  function start(): void {
    unsubscribe();
    unsubscribe = isStill.subscribe(goOn);
    stream.start();
  }

  function stop(): void {
    unsubscribe();
    stream.stop();
    arrivals.flush();
    // The next stream sends the held events again.
    arrivals.clear();
  }

  /** Shows the events that arrived while updates were held. */
  function goOn(): void {
    if (isStill.get()) return;
    liveOutputs.flush();
    if (!arrivals.isOverfull()) return arrivals.flush();
    stop();
    resume();
  }

  const { subscribe, tell, resume } = createAttendance<readonly RunEvent[]>({ start, stop });
  return {
    journal: journal.get,
    error: stream.error,
    liveOutputs,
    subscribe,
    load() {
      if (!journal.want()) return;
      stop();
      resume();
    },
    position,
    resume,
  };
}
