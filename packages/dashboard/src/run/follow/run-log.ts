import type { RunEvent, RunHandle } from '@millrace/client';
import { isStill, missedEvents } from '../../api/live-updates.ts';
import type { Journal, JournalPosition } from './journal-copy.ts';
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
export function createRunLog(run: RunHandle, read: () => Promise<JournalPosition>): RunLog {
  const liveOutputs = createLiveOutputs();
  const journal = createJournalCopy(run);
  let newest: string | undefined;
  const arrivals = createArrivals<RunEvent>({ apply, isHeld: isStill.get, most: mostEvents });

  function apply(events: readonly RunEvent[]): void {
    liveOutputs.settle(events);
    newest = events.at(-1)?.id ?? newest;
    journal.add(events);
    publish(events);
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
    publish([]);
    for await (const one of run.follow({ after, signal })) {
      if (signal.aborted) return;
      if (one.type === 'live') liveOutputs.hear(one.event);
      else if (arrivals.add(one.event)) missedEvents.set(missedEvents.get() + 1);
    }
  }

  let unsubscribe = (): void => undefined;
  const stream = createActivity({ work: follow, failed: () => publish([]) });
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

  const { subscribe, publish, resume } = createSubscription<readonly RunEvent[]>({ start, stop });
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

/** Background work that ends or is stopped. */
interface Activity {
  /** Starts it unless it is in progress. */
  start(): void;
  stop(): void;
  /** Returns the error for which it has ended; undefined: none. */
  error(): unknown;
}

interface ActivityOptions {
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** Called when it has failed. */
  readonly failed: () => void;
}

/** Creates an activity, which is not started yet. */
function createActivity({ work, failed }: ActivityOptions): Activity {
  let current: AbortController | undefined;
  let error: unknown;
  return {
    start() {
      if (current !== undefined) return;
      const attempt = new AbortController();
      current = attempt;
      error = undefined;
      work(attempt.signal)
        .catch((reason: unknown) => {
          if (attempt.signal.aborted) return;
          error = reason;
          failed();
        })
        .finally(() => {
          if (current === attempt) current = undefined;
        });
    },
    stop() {
      current?.abort();
      current = undefined;
    },
    error: () => error,
  };
}

/** Shortest time between two changes while many events arrive, in milliseconds. */
const busyMs = 100;

/** Values that arrive one by one and are applied together. */
interface Arrivals<T> {
  /** Adds a value. Returns true if it is held. */
  add(value: T): boolean;
  /** Applies the collected values at once, unless they are held. */
  flush(): void;
  /** Drops the collected values. */
  clear(): void;
  /** Returns true if more values were held than are kept: some are missing. */
  isOverfull(): boolean;
}

interface ArrivalsOptions<T> {
  readonly apply: (values: readonly T[]) => void;
  /** Returns true while values are held until the next flush. */
  readonly isHeld: () => boolean;
  /** Number of values that are kept. */
  readonly most: number;
}

/** Collects values until the next frame, or for a tenth of a second while many arrive. */
function createArrivals<T>({ apply, isHeld, most }: ArrivalsOptions<T>): Arrivals<T> {
  let arrived: T[] = [];
  let isOverfull = false;
  let flushedAt = Number.NEGATIVE_INFINITY;
  let isDue = false;
  function flush(): void {
    isDue = false;
    if (isHeld() || arrived.length === 0) return;
    flushedAt = performance.now();
    const values = arrived;
    arrived = [];
    apply(values);
  }
  function plan(): void {
    isDue = true;
    const wait = Math.max(0, flushedAt + busyMs - performance.now());
    // A page that is not drawn has no frames.
    if (wait === 0 && document.visibilityState === 'visible') requestAnimationFrame(flush);
    else setTimeout(flush, wait);
  }
  return {
    add(value) {
      if (isHeld() && arrived.length >= most) isOverfull = true;
      else arrived.push(value);
      if (isHeld()) return true;
      if (!isDue) plan();
      return false;
    },
    flush,
    clear() {
      arrived = [];
      isOverfull = false;
    },
    isOverfull: () => isOverfull,
  };
}

/** Time for which a hidden page continues to listen, in milliseconds. */
const hiddenMs = 30_000;
/** Time for which work without listeners continues, in milliseconds. */
const idleMs = 2_000;

/** Start and end of something that is done for listeners. */
interface SubscribedWork {
  readonly start: () => void;
  readonly stop: () => void;
}

/** Listeners of work that is in progress while the page is visible. */
interface Subscription<T> {
  subscribe(listener: (value: T) => void): () => void;
  /** Calls all listeners back. */
  publish(value: T): void;
  /** Starts the work again if there are listeners and the page is visible. */
  resume(): void;
}

/** Starts something with the first listener, stops it after the last one, and while the page is hidden for long. */
function createSubscription<T>({ start, stop }: SubscribedWork): Subscription<T> {
  const listeners = new Set<(value: T) => void>();
  let stopping: ReturnType<typeof setTimeout> | undefined;
  const isVisible = () => document.visibilityState === 'visible';
  function followVisibility(): void {
    clearTimeout(stopping);
    if (isVisible()) start();
    else stopping = setTimeout(stop, hiddenMs);
  }
  return {
    subscribe(listener) {
      if (listeners.size === 0) document.addEventListener('visibilitychange', followVisibility);
      listeners.add(listener);
      clearTimeout(stopping);
      if (isVisible()) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', followVisibility);
        stopping = setTimeout(stop, idleMs);
      };
    },
    publish(value) {
      for (const listener of listeners) listener(value);
    },
    resume() {
      if (listeners.size > 0 && isVisible()) start();
    },
  };
}
