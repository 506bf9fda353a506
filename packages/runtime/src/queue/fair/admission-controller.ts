import type { QueueName, Wake } from '@millrace/core';
import { tenantOf } from '@millrace/core';
import type { AdmissionScript } from './admission-script.ts';
import { SlotLedger } from './slot-ledger.ts';
import { createSlotReporter } from './slot-reporter.ts';
import { TenantLimits } from './tenant-limits.ts';

/*
 * What stands in front of the queues, so that nobody's wakes keep everybody else's waiting. The queues themselves are
 * first come, first served; what is fair is who gets into them. A tenant may always have so many wakes in them, and more
 * while hardly anything waits; the rest of its wakes wait outside, and its runs go by turns (share.lua).
 *
 * A wake that comes of work in hand takes over that work's slot, so a run that goes on from step to step costs nothing
 * here. A wake that is more than that is counted, but sent without asking unless the tenant has limits or was last seen
 * beyond its share; only then it is asked for first. All of this is about hints: what is lost, doubled or counted wrongly is put
 * right by counting anew and by the agenda.
 */

/** Options of {@link createAdmissionController}. */
export interface AdmissionControllerOptions {
  readonly script: AdmissionScript;
  /** Puts wakes into their queues. */
  readonly admit: (wakes: readonly Wake[]) => Promise<void>;
  /** Hears of trouble with Redis. */
  readonly onError: (error: Error) => void;
}

/** The admission of wakes to the queues; see createAdmissionController. */
export interface AdmissionController {
  /** Those of the wakes that go into their queues at once, and when the others have been told to wait for their turn. */
  sift(wakes: readonly Wake[]): SiftedWakes;
  /** Wakes again that may be queued, at work, waiting for their turn, or lost. */
  requeue(wakes: readonly Wake[]): Promise<void>;
  /** Does work with a slot in hand that what it leads to can take over. */
  holding(wake: Wake, work: () => Promise<void>): Promise<void>;
  /** Puts right what processes that died have left in these queues. */
  reconcile(queues: readonly QueueName[]): Promise<void>;
  /** Tells what has not been told yet, if Redis is there to hear it. */
  close(): Promise<void>;
}

/** See {@link AdmissionController.sift}. */
export interface SiftedWakes {
  readonly admitted: readonly Wake[];
  readonly requested: Promise<void> | undefined;
}

/** Wakes that go without asking at a time. */
const burst = 16;

/** A fair way into queues. */
export function createAdmissionController({ script, admit, onError }: AdmissionControllerOptions): AdmissionController {
  const ledger = new SlotLedger();
  const limits = new TenantLimits();
  const reporter = createSlotReporter({ script, limits, admit, onError });
  const learnLimits = async (): Promise<void> => limits.learnLimited(await script.limited());
  // Until that is known everybody asks.
  learnLimits().catch(() => undefined);

  return {
    sift(wakes) {
      const more = wakes.filter((wake) => !ledger.passOn(wake));
      if (more.length === 0) return { admitted: wakes, requested: undefined };
      const unasked = new Set(more.filter(({ run }) => !limits.mustAsk(tenantOf(run))).slice(0, burst));
      for (const wake of unasked) reporter.change(wake, 1);
      if (unasked.size === more.length) return { admitted: wakes, requested: undefined };
      const waiting = new Set(more.filter((wake) => !unasked.has(wake)));
      return {
        admitted: wakes.filter((wake) => !waiting.has(wake)),
        requested: reporter.requestAdmission([...waiting]),
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
      await learnLimits();
      for (const tenant of await script.recount(queues)) await reporter.recheck(tenant);
    },
    close: () => reporter.close(),
  };
}
