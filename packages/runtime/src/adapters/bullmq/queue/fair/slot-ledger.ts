import type { Wake } from '@millrace/core';
import { defaultQueue } from '@millrace/core';

interface RunSlots {
  readonly works: number;
  /** Number of its slots that wakes have taken over. */
  readonly passed: number;
}

const nothing: RunSlots = { works: 0, passed: 0 };

/** Active work of one run in one queue. */
type RunQueue = Pick<Wake, 'run' | 'queue'>;
const nameOf = ({ run, queue = defaultQueue }: RunQueue): string => `${queue}.${run}`;

/** Slots of the active work of this process: each can be passed on once, to a wake of the same run and queue. */
export class SlotLedger {
  readonly #kinds = new Map<string, RunSlots>();

  /** Adds the slot of work that has begun. */
  take(kind: RunQueue): void {
    const name = nameOf(kind);
    const { works, passed } = this.#kinds.get(name) ?? nothing;
    this.#kinds.set(name, { works: works + 1, passed });
  }

  /** Passes a slot on; returns whether there was one. */
  passOn(kind: RunQueue): boolean {
    const name = nameOf(kind);
    const { works, passed } = this.#kinds.get(name) ?? nothing;
    if (passed === works) return false;
    this.#kinds.set(name, { works, passed: passed + 1 });
    return true;
  }

  /** Removes work that has ended; returns whether its slot is still there. */
  leave(kind: RunQueue): boolean {
    const name = nameOf(kind);
    const { works, passed } = this.#kinds.get(name) ?? nothing;
    if (works <= 1) this.#kinds.delete(name);
    else this.#kinds.set(name, { works: works - 1, passed: Math.max(0, passed - 1) });
    return passed === 0;
  }
}
