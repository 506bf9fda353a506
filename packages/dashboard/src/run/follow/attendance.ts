/** Time for which a hidden page continues to listen, in milliseconds. */
const hiddenMs = 30_000;
/** Time for which work without listeners continues, in milliseconds. */
const idleMs = 2_000;

/** Start and end of something that is done for listeners. */
interface Attended {
  readonly start: () => void;
  readonly stop: () => void;
}

/** Listeners of work that is in progress while the page is visible. */
export interface Attendance<T> {
  subscribe(listener: (value: T) => void): () => void;
  /** Calls all listeners back. */
  tell(value: T): void;
  /** Starts the work again if there are listeners and the page is visible. */
  resume(): void;
}

/** Starts something with the first listener, stops it after the last one, and while the page is hidden for long. */
export function createAttendance<T>({ start, stop }: Attended): Attendance<T> {
  const listeners = new Set<(value: T) => void>();
  let stopping: ReturnType<typeof setTimeout> | undefined;
  const isVisible = () => document.visibilityState === 'visible';
  function attend(): void {
    clearTimeout(stopping);
    if (isVisible()) start();
    else stopping = setTimeout(stop, hiddenMs);
  }
  return {
    subscribe(listener) {
      if (listeners.size === 0) document.addEventListener('visibilitychange', attend);
      listeners.add(listener);
      clearTimeout(stopping);
      if (isVisible()) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        document.removeEventListener('visibilitychange', attend);
        stopping = setTimeout(stop, idleMs);
      };
    },
    tell(value) {
      for (const listener of listeners) listener(value);
    },
    resume() {
      if (listeners.size > 0 && isVisible()) start();
    },
  };
}
