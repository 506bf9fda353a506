import type { Sleep } from '@millrace/core';
import type { Clock } from '@millrace/runtime';
import { sleep } from '@millrace/runtime';

/** A part of the work on an activation, such as a step; others may go on beside it. */
export interface WorkPart {
  /** Waits as this part. */
  readonly sleep: Sleep;
  end(): void;
}

interface PartState {
  sleepers: number;
  isOver: boolean;
}

/**
 * Holds the clock of a worker while it works on an activation, except while that is asleep: something of it waits by the
 * clock, and each of its parts does, too.
 */
export class ActivationClock {
  readonly #clock: Clock;
  readonly #awake = new Set<PartState>();
  #sleepers = 0;
  #release: (() => void) | undefined;
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#release = clock.hold();
  }

  /** Waits beside all parts. */
  get sleep(): Sleep {
    return (ms, signal) => this.#sleep(ms, signal);
  }

  /** Calls `act` after some time, whatever goes on meanwhile; see Clock. */
  after(ms: number, act: () => void): () => void {
    return this.#clock.after(ms, act);
  }

  /** Begins a part. */
  begin(): WorkPart {
    const part: PartState = { sleepers: 0, isOver: false };
    this.#awake.add(part);
    this.#look();
    return {
      sleep: (ms, signal) => this.#sleep(ms, signal, part),
      end: () => {
        part.isOver = true;
        this.#awake.delete(part);
        this.#look();
      },
    };
  }

  /** Ends the work. */
  end(): void {
    this.#isOver = true;
    this.#look();
  }

  #sleep(ms: number, signal: AbortSignal, part?: PartState): Promise<void> {
    const wake = this.#fallAsleep(part);
    const after: Clock['after'] = (time, act) =>
      this.#clock.after(time, () => {
        // The clock is held again before it can move on.
        wake();
        act();
      });
    return sleep({ after }, ms, signal).finally(wake);
  }

  #fallAsleep(part: PartState | undefined): () => void {
    let isAsleep = true;
    this.#sleepers += 1;
    if (part !== undefined) {
      part.sleepers += 1;
      this.#awake.delete(part);
    }
    this.#look();
    return () => {
      if (!isAsleep) return;
      isAsleep = false;
      this.#sleepers -= 1;
      if (part !== undefined && --part.sleepers === 0 && !part.isOver) this.#awake.add(part);
      this.#look();
    };
  }

  #look(): void {
    if (this.#isOver || (this.#sleepers > 0 && this.#awake.size === 0)) {
      this.#release?.();
      this.#release = undefined;
    } else this.#release ??= this.#clock.hold();
  }
}
