import { useSyncExternalStore } from 'react';
import { toServerTime } from '../../api/server-clock.ts';
import { formatAge, formatDuration, formatMoment } from './format.ts';

/** The age of a time, updated every second; its title is the moment itself. */
export function Age({ at }: { readonly at: number }) {
  const now = useServerNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
      {formatAge(at, now)}
    </time>
  );
}

/** The time from one moment to another, or until now. */
export function Duration({ from, to }: { readonly from: number; readonly to: number | undefined }) {
  const now = useServerNow();
  return (
    <span data-numbers title={formatMoment(from)}>
      {formatDuration((to ?? now) - from)}
    </span>
  );
}

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
