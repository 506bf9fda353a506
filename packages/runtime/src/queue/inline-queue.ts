import { setMaxListeners } from 'node:events';
import type { QueueName, Wake } from '@millrace/core';
import { defaultQueue, wakeId } from '@millrace/core';
import type { ConsumeOptions, Processor, Queue, QueueLoad } from './port.ts';

/** Options of {@link createInlineQueue}. */
export interface InlineQueueOptions {
  /** Hears of processors that throw, which is a bug of theirs. */
  readonly onError: (error: Error, wake: Wake) => void;
}

interface Hand {
  readonly processor: Processor;
  readonly concurrency: number;
  readonly queues: NonNullable<ConsumeOptions['queues']>;
  readonly controller: AbortController;
  readonly work: Set<Promise<void>>;
}

/** A queue inside one process, for runs that live and die with it. */
export function createInlineQueue({ onError }: InlineQueueOptions): Queue {
  const queued = new Map<string, Wake>();
  const atWork = new Set<string>();
  const hands = new Set<Hand>();
  let scheduled = false;
  let hasPriorities = false;

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
    for (const [id, wake] of hasPriorities ? byPriority(queued) : queued) {
      const free = [...hands].filter(({ work, concurrency }) => work.size < concurrency);
      if (free.length === 0) return;
      const hand = free.find(({ queues }) => serves(queues, wake.queue));
      if (hand === undefined) continue;
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

  const add: Queue['wake'] = async (wakes) => {
    for (const wake of wakes) {
      const id = wakeId(wake);
      if (!atWork.has(id) && !queued.has(id)) queued.set(id, wake);
      hasPriorities ||= wake.priority !== undefined;
    }
    schedule();
  };

  return {
    wake: add,
    remind: add,
    missing: async (wakes) => wakes.filter((wake) => !atWork.has(wakeId(wake)) && !queued.has(wakeId(wake))),
    // Nobody dies here but with all of it.
    tend: async () => undefined,
    consume(processor, consuming) {
      const hand = handOf(processor, consuming);
      hands.add(hand);
      schedule();
      return {
        async close() {
          hands.delete(hand);
          await Promise.all(hand.work);
        },
      };
    },
    consumers: async (queue) => [...hands].filter(({ queues }) => serves(queues, queue)).length,
    loads: async () => loadsOf({ queued, hands, atWork: atWork.size }),
    async close() {
      for (const hand of hands) hand.controller.abort();
      hands.clear();
      queued.clear();
    },
  };
}

function handOf(processor: Processor, { concurrency, queues = [defaultQueue] }: ConsumeOptions): Hand {
  const controller = new AbortController();
  // Every activation in hand listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  return { processor, concurrency, queues, controller, work: new Set() };
}

const serves = (queues: Hand['queues'], queue: QueueName = defaultQueue): boolean =>
  queues === 'all' || queues.includes(queue);

/** As they came, but for those that let others go before. */
const byPriority = (queued: ReadonlyMap<string, Wake>): Iterable<readonly [string, Wake]> =>
  [...queued].sort(([, a], [, b]) => (a.priority ?? 0) - (b.priority ?? 0));

interface Held {
  readonly queued: ReadonlyMap<string, Wake>;
  readonly hands: ReadonlySet<Hand>;
  readonly atWork: number;
}

function loadsOf({ queued, hands, atWork }: Held): readonly QueueLoad[] {
  const waiting = [...queued.values()].map(({ queue = defaultQueue }) => queue);
  return [...new Set([defaultQueue, ...waiting])].map((queue) => ({
    queue,
    waiting: waiting.filter((name) => name === queue).length,
    atWork: queue === defaultQueue ? atWork : 0,
    consumers: [...hands].filter(({ queues }) => serves(queues, queue)).length,
  }));
}
