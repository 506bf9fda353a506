import { createStore } from '../api/store.ts';
import { showTimesIn } from '../kit/values/format.ts';

const stored = 'millrace.time-zone';

const zones: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);

/** Time zone in which this browser shows times; undefined: that of the machine. */
export const shownTimeZone = createStore<string | undefined>(undefined);

/** Changes the time zone in which this browser shows times. */
export function preferTimeZone(zone: string | undefined): void {
  if (zone === undefined) localStorage.removeItem(stored);
  else localStorage.setItem(stored, zone);
  applyTimeZone();
}

/** Applies the preferred time zone; one that this browser does not know is left aside. */
export function applyTimeZone(): void {
  const zone = localStorage.getItem(stored);
  const known = zone !== null && zones.has(zone) ? zone : undefined;
  showTimesIn(known);
  shownTimeZone.set(known);
}
