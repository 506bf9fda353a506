import type { QueueName, RunId, Wake } from '@millrace/core';
import { defaultQueue, tenantOf } from '@millrace/core';
import { LRUCache } from 'lru-cache';
import { startRefresh } from '../../../../live/refresh.ts';
import type { Broadcast } from '../../../../ports/broadcast.ts';
import type { AdmissionScript } from './admission-script.ts';
import { TenantLimits } from './limits.ts';
import { createSlotReporter } from './slot-reporter.ts';

/*
 * Fair admission of wakes to the queues, so that no tenant's wakes delay all others. The queues themselves are first
 * come, first served; the admission to them is fair. A tenant may always have a certain number of wakes in them, and
 * more while hardly anything waits; the rest of its wakes wait in lanes, and its runs are admitted in turns
 * (share.lua).
 *
 * A wake that follows from active work takes over that work's slot, so a run that proceeds from step to step costs
 * nothing here. An additional wake is counted, but queued without a request unless the tenant has limits or was last
 * seen beyond its share; only then the script decides first. All of this is about hints: what is lost, doubled or
 * counted wrongly is repaired by a recount and by the agenda.
 */

/** Options of {@link createAdmissionController}. */
export interface AdmissionControllerOptions {
  readonly script: AdmissionScript;
  /** Announces new limits; absent: they are looked for more often. */
  readonly broadcast: Broadcast | undefined;
  /** Puts wakes into their queues. */
  readonly admit: (wakes: readonly Wake[]) => Promise<void>;
  /** Called with errors of Redis. */
  readonly onError: (error: Error) => void;
}

/** The admission of wakes to the queues; see createAdmissionController. */
export interface AdmissionController {
  /** Returns the wakes that enter their queues at once, and when the others have been added to their lanes. */
  partition(wakes: readonly Wake[]): PartitionedWakes;
  /** Queues wakes again that may be queued, active, waiting in a lane, or lost. */
  requeue(wakes: readonly Wake[]): Promise<void>;
  /** Executes work whose slot can be taken over by a wake that follows from it. */
  holding(wake: Wake, work: () => Promise<void>): Promise<void>;
  /** Repairs the counts of these queues after the death of processes. */
  reconcile(queues: readonly QueueName[]): Promise<void>;
  /** Reports the remaining changes, if Redis is reachable. */
  close(): Promise<void>;
}

/** See {@link AdmissionController.partition}. */
export interface PartitionedWakes {
  readonly admitted: readonly Wake[];
  readonly requested: Promise<void> | undefined;
  /** The only wake follows from active work, and goes to the front of its queue. */
  readonly first: boolean;
}

/** Maximum number of wakes that are queued without a request at a time. */
const burst = 16;

/** Creates the fair admission to queues. */
export function createAdmissionController({
  script,
  broadcast,
  admit,
  onError,
}: AdmissionControllerOptions): AdmissionController {
  const ledger = new SlotLedger();
  const streaks = new Streaks();
  const limits = new TenantLimits();
  const reporter = createSlotReporter({ script, limits, admit, onError });
  const learnLimits = async (): Promise<void> => limits.learnLimited(await script.limited());
  const goesFirst = (wakes: readonly Wake[]): boolean => {
    const [only] = wakes;
    // Each priority has a separate order.
    return only !== undefined && wakes.length === 1 && only.priority === undefined && streaks.goesFirst(only.run);
  };
  // Until the limits are known, every tenant requests admission.
  learnLimits().catch(() => undefined);
  // A process that queues nothing needs no limits.
  let refresh: ReturnType<typeof startRefresh> | undefined;
  const followLimits = () => {
    refresh ??= startRefresh({ of: 'limits', broadcast, read: learnLimits, onError });
  };

  return {
    partition(wakes) {
      followLimits();
      const more = wakes.filter((wake) => !ledger.passOn(wake));
      if (more.length === 0) return { admitted: wakes, requested: undefined, first: goesFirst(wakes) };
      const unasked = new Set(more.filter(({ run }) => !limits.mustAsk(tenantOf(run))).slice(0, burst));
      for (const wake of unasked) reporter.change(wake, 1);
      if (unasked.size === more.length) return { admitted: wakes, requested: undefined, first: false };
      const waiting = new Set(more.filter((wake) => !unasked.has(wake)));
      return {
        admitted: wakes.filter((wake) => !waiting.has(wake)),
        requested: reporter.requestAdmission([...waiting]),
        first: false,
      };
    },
    requeue: (wakes) => reporter.requestAdmission(wakes),
    async holding(wake, work) {
      ledger.take(wake);
      try {
        await work();
      } finally {
        if (ledger.leave(wake)) reporter.change(wake, -1);
      }
    },
    async reconcile(queues) {
      for (const tenant of await script.recount(queues)) await reporter.recheck(tenant);
    },
    close() {
      refresh?.close();
      return reporter.close();
    },
  };
}

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
class SlotLedger {
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

/** Maximum number of activations in a row that a run may put before those of others. */
const maxLength = 32;
/** Maximum time for which it may do so, in milliseconds: only work that takes hardly any time gains from it. */
const maxMs = 250;
/** Number of runs that are remembered. A run that is forgotten may begin a new streak. */
const maxRuns = 1_000;

interface Streak {
  readonly length: number;
  readonly since: number;
}

/**
 * Decides whether the next activation of a run goes to the front of its queue. The job that ends fetches it at once, so
 * the run stays with a worker that knows its state; in another process it would have to be read from the store. The
 * limits let the activations of other runs through.
 */
export class Streaks {
  readonly #streaks = new LRUCache<RunId, Streak>({ max: maxRuns });

  /** Counts an activation that follows from active work; returns whether it may go first. */
  goesFirst(run: RunId): boolean {
    const now = performance.now();
    const { length, since } = this.#streaks.get(run) ?? { length: 0, since: now };
    if (length < maxLength && now - since < maxMs) {
      this.#streaks.set(run, { length: length + 1, since });
      return true;
    }
    this.#streaks.delete(run);
    return false;
  }
}
