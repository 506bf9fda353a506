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
 * A run is followed by one stream in each visible tab. The stream begins after the event that the page has seen of the
 * run. Some views also need the events before: the journal is loaded for them, unless it is too long; then they ask the
 * server for the parts and the states that they show.
 */

/** The events of a run as they arrive, its journal where that is wanted, and what is said meanwhile. */
export interface RunLog {
  /** Returns the journal; undefined until it has been loaded, which {@link RunLog.load} begins. */
  journal(): Journal | undefined;
  /** Returns the error because of which it stands still. */
  error(): unknown;
  readonly liveOutputs: LiveOutputs;
  /** Follows the run while there are listeners and the page is visible; calls back with the events that have arrived. */
  subscribe(listener: (arrived: readonly RunEvent[]) => void): () => void;
  /** Loads the journal. */
  load(): void;
  /** Returns the id of the last event that listeners were told of, or that the page knew before. */
  position(): Promise<string>;
  /** Follows the run anew: it went on after its end, or the server is back. */
  resume(): void;
}

/** Creates the log of a run. Nothing is loaded before somebody listens. `read` returns how far the run had come when it was read. */
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
    const after = await journal.load({ ...(await read()), event: await position() }, signal);
    if (signal.aborted) return;
    newest = after;
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
    // What is held back comes again with the next stream.
    arrivals.clear();
  }

  /** Shows what has arrived while the page stood still. */
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
