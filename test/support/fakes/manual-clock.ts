import type { Clock } from '@millrace/runtime';

/** A clock that a test moves by hand. */
export interface ManualClock extends Clock {
  /** Moves the time, and does what is due then. */
  advance(ms: number): void;
}

/** Creates a clock that stands at `start`, in milliseconds since 1970. */
export function createManualClock(start: number): ManualClock {
  let time = start;
  const entries = new Set<{ readonly at: number; readonly act: () => void }>();
  return {
    now: () => time,
    after(ms, act) {
      const entry = { at: time + ms, act };
      entries.add(entry);
      return () => entries.delete(entry);
    },
    hold: () => () => undefined,
    isVirtual: false,
    advance(ms) {
      time += ms;
      for (const entry of [...entries].sort((a, b) => a.at - b.at)) {
        if (entry.at > time || !entries.delete(entry)) continue;
        entry.act();
      }
    },
  };
}
