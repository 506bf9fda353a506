import type { OnOutage } from './outage-monitor.ts';

/** Minimum time between two lines about the same outage. */
const quietMs = 1000;

/**
 * Reports outages in one line when one begins and one when it ends; one that comes and goes is reported at most once a
 * second.
 */
export function reportOutages(say: (line: string) => void): OnOutage {
  const saidAt = new Map<string, number>();
  let isKnown = false;
  return (news) => {
    if ('overAfterMs' in news) {
      if (isKnown) say(`Redis is back after ${(news.overAfterMs / 1000).toFixed(1)} s`);
      isKnown = false;
      return;
    }
    const { code, message } = news.outage;
    const now = performance.now();
    if (now - (saidAt.get(code) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    saidAt.set(code, now);
    isKnown = true;
    say(`${message} Waiting until it is back [${code}]`);
  };
}
