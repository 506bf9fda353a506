import type { OutageCode } from './outage.ts';
import type { OnOutage } from './outage-monitor.ts';

/** Times that a process has spent in outages of Redis. */
export interface OutageTimes {
  /** Takes in the reports of the monitor. */
  readonly note: OnOutage;
  /** Returns the seconds by the code of the outage, the present one included. */
  seconds(): ReadonlyMap<OutageCode, number>;
}

/** Creates the times of a process. */
export function createOutageTimes(now: () => number = () => performance.now()): OutageTimes {
  const seconds = new Map<OutageCode, number>();
  let current: { readonly code: OutageCode; readonly since: number } | undefined;
  const addCurrent = (): void => {
    if (current === undefined) return;
    const { code, since } = current;
    seconds.set(code, (seconds.get(code) ?? 0) + (now() - since) / 1000);
    current = { code, since: now() };
  };
  return {
    note(news) {
      addCurrent();
      current = 'outage' in news ? { code: news.outage.code, since: now() } : undefined;
    },
    seconds() {
      addCurrent();
      return seconds;
    },
  };
}

/** Minimum time between two lines about the same outage. */
const quietMs = 1000;

/**
 * Reports outages in one line when one begins and one when it ends; one that comes and goes is reported at most once a
 * second.
 */
export function reportOutages(say: (line: string) => void): OnOutage {
  const reportedAt = new Map<string, number>();
  let isKnown = false;
  return (news) => {
    if ('overAfterMs' in news) {
      if (isKnown) say(`Redis is back after ${(news.overAfterMs / 1000).toFixed(1)} s`);
      isKnown = false;
      return;
    }
    const { code, message } = news.outage;
    const now = performance.now();
    if (now - (reportedAt.get(code) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    reportedAt.set(code, now);
    isKnown = true;
    say(`${message} Waiting until it is back [${code}]`);
  };
}
