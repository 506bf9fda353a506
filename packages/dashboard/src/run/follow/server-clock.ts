import { useNow } from '../../kit/values/use-now.ts';

/** Milliseconds by which the server's clock is ahead of that of this browser. */
let ahead = 0;

/** Notes the time of an answer by the server's clock, in milliseconds since 1970. */
export function noteServerTime(now: number): void {
  ahead = now - Date.now();
}

/** Returns the time by the server's clock, which times of events are given in; renewed once a second. */
export const useServerNow = (): number => useNow() + ahead;
