import type { Wake } from '@millrace/core';
import { defaultQueue } from '@millrace/core';

interface RunSlots {
  readonly works: number;
  /** Of their slots, those that wakes have taken over. */
  readonly passed: number;
}

const nothing: RunSlots = { works: 0, passed: 0 };

/** Work of the same run in the same queue. */
type RunQueue = Pick<Wake, 'run' | 'queue'>;
const nameOf = ({ run, queue = defaultQueue }: RunQueue): string => `${queue}.${run}`;

/** The slots of the work that this process has in hand: each can be passed on once, to a wake of the same run and queue. */
export class SlotLedger {
  readonly #kinds = new Map<string, RunSlots>();

  /** Work has begun. */
  take(kind: RunQueue): void {
    const name = nameOf(kind);
    const { works, passed } = this.#kinds.get(name) ?? nothing;
    this.#kinds.set(name, { works: works + 1, passed });
  }

  /** Passes a slot on; says whether there was one. */
  passOn(kind: RunQueue): boolean {
    const name = nameOf(kind);
    const { works, passed } = this.#kinds.get(name) ?? nothing;
    if (passed === works) return false;
    this.#kinds.set(name, { works, passed: passed + 1 });
    return true;
  }

  /** Work has ended; says whether its slot is still there. */
  leave(kind: RunQueue): boolean {
    const name = nameOf(kind);
    const { works, passed } = this.#kinds.get(name) ?? nothing;
    if (works <= 1) this.#kinds.delete(name);
    else this.#kinds.set(name, { works: works - 1, passed: Math.max(0, passed - 1) });
    return passed === 0;
  }
}
