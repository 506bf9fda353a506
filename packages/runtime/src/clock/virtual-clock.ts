import type { Clock } from './clock.ts';
import { TimeQueue } from './time-queue.ts';

/** A clock whose time moves to the next moment at which something is to happen, as soon as nothing is in hand. */
export interface VirtualClock extends Clock {
  /**
   * Waits until nothing is in hand, at a moment of which the clock has not told yet; returns the time to which it moves next,
   * undefined for none. The caller can hold the clock, or add something earlier, before it moves.
   */
  still(): Promise<number | undefined>;
}

/**
 * Creates a virtual clock that begins at `start`, in milliseconds since 1970. It moves after two turns of the event loop
 * without a hold: what has just ended may go on with something in a promise or in the next turn, and hold the clock for it.
 */
export function createVirtualClock(start: number): VirtualClock {
  const entries = new TimeQueue<() => void>();
  let time = start;
  let holds = 0;
  /** Counts what happens at the clock: it does not move in the turns after that. */
  let changes = 0;
  let isLooking = false;
  let waiting: ((next: number | undefined) => void)[] = [];
  /** Those who wait were told of this moment, so that the clock moves next. */
  let hasTold = false;

  /** Looks after two turns, again if something has happened meanwhile. */
  const look = (): void => {
    changes += 1;
    if (holds > 0 || isLooking) return;
    isLooking = true;
    const seen = changes;
    setImmediate(() =>
      setImmediate(() => {
        isLooking = false;
        if (holds > 0) return;
        if (changes === seen) move();
        else look();
      }),
    );
  };

  const move = (): void => {
    const first = entries.first();
    if (waiting.length > 0 && (!hasTold || first === undefined)) {
      hasTold = true;
      const told = waiting;
      waiting = [];
      for (const tell of told) tell(first?.at);
      return look();
    }
    if (first === undefined) return;
    hasTold = false;
    time = Math.max(time, Math.ceil(first.at));
    for (let due = entries.first(); due !== undefined && due.at <= time; due = entries.first()) {
      entries.remove(due);
      due.value();
    }
    look();
  };

  return {
    now: () => time,
    after(ms, act) {
      const entry = entries.add(time + Math.max(ms, 0), act);
      look();
      return () => {
        entries.remove(entry);
        look();
      };
    },
    hold() {
      holds += 1;
      changes += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holds -= 1;
        look();
      };
    },
    still: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        look();
      }),
    isVirtual: true,
  };
}
