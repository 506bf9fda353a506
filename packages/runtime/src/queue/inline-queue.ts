import { setMaxListeners } from 'node:events';
import type { Wake } from '@millrace/core';
import { wakeId } from '@millrace/core';
import type { Processor, Queue } from './port.ts';

/** Options of {@link createInlineQueue}. */
export interface InlineQueueOptions {
  /** Hears of processors that throw, which is a bug of theirs. */
  readonly onError: (error: Error, wake: Wake) => void;
}

interface Hand {
  readonly processor: Processor;
  readonly concurrency: number;
  readonly controller: AbortController;
  readonly work: Set<Promise<void>>;
}

/** A queue inside one process, for runs that live and die with it. */
export function createInlineQueue({ onError }: InlineQueueOptions): Queue {
  const queued = new Map<string, Wake>();
  const atWork = new Set<string>();
  const hands = new Set<Hand>();
  let scheduled = false;

  const carryOut = async (hand: Hand, id: string, wake: Wake): Promise<void> => {
    atWork.add(id);
    try {
      await hand.processor(wake, hand.controller.signal);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), wake);
    } finally {
      atWork.delete(id);
      schedule();
    }
  };

  const handOut = (): void => {
    scheduled = false;
    for (const [id, wake] of queued) {
      const hand = [...hands].find(({ work, concurrency }) => work.size < concurrency);
      if (hand === undefined) return;
      queued.delete(id);
      const work = carryOut(hand, id, wake).finally(() => hand.work.delete(work));
      hand.work.add(work);
    }
  };

  // Not at once: a chain of nodes that never wait for anything would otherwise keep timers and signals from running.
  const schedule = (): void => {
    if (scheduled || queued.size === 0) return;
    scheduled = true;
    setImmediate(handOut);
  };

  return {
    async wake(wakes) {
      for (const wake of wakes) {
        const id = wakeId(wake);
        if (!atWork.has(id) && !queued.has(id)) queued.set(id, wake);
      }
      schedule();
    },
    consume(processor, { concurrency }) {
      const controller = new AbortController();
      // Every activation in hand listens to it.
      setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
      const hand: Hand = { processor, concurrency, controller, work: new Set() };
      hands.add(hand);
      schedule();
      return {
        async close() {
          hands.delete(hand);
          await Promise.all(hand.work);
        },
      };
    },
    async consumers() {
      return hands.size;
    },
    async close() {
      for (const hand of hands) hand.controller.abort();
      hands.clear();
      queued.clear();
    },
  };
}
