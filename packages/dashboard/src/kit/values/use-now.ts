import { useSyncExternalStore } from 'react';
import { toServerTime } from '../../api/server-clock.ts';

const everyMs = 1_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, everyMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

/** Returns the time by the clock of this browser, in milliseconds since 1970, renewed once a second by one timer for the whole page. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now);

/** Returns the time by the server's clock, renewed once a second; the clock of this browser may be wrong. */
export const useServerNow = (): number => toServerTime(useNow());
