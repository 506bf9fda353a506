import { setMaxListeners } from 'node:events';
import type { QueueName, Wake } from '@millrace/core';
import { defaultQueue, wakeId } from '@millrace/core';
import type { Clock } from '../../clock/clock.ts';
import { realClock } from '../../clock/real-clock.ts';
import type { ConsumeOptions, Processor, Queue, QueueLoad } from '../../ports/queue.ts';

/** Options of {@link createInlineQueue}. */
export interface InlineQueueOptions {
  /** Called when a processor throws, which is a bug in it. */
  readonly onError: (error: Error, wake: Wake) => void;
  /** Clock that each wake holds until its processor has been called; default: the clock of the process. */
  readonly clock?: Clock;
}

/** A wake in the queue, and what ends its hold of the clock. */
interface QueuedWake {
  readonly wake: Wake;
  readonly release: () => void;
}

interface InlineConsumer {
  readonly processor: Processor;
  readonly concurrency: number;
  readonly queues: NonNullable<ConsumeOptions['queues']>;
  readonly controller: AbortController;
  readonly work: Set<Promise<void>>;
}

/** Creates a queue inside one process, for runs that live in it only. */
export function createInlineQueue({ onError, clock = realClock }: InlineQueueOptions): Queue {
  const queued = new Map<string, QueuedWake>();
  const active = new Set<string>();
  const consumers = new Set<InlineConsumer>();
  let scheduled = false;
  let hasPriorities = false;

  const processJob = async (consumer: InlineConsumer, id: string, wake: Wake): Promise<void> => {
    active.add(id);
    try {
      // The queue dies with its process.
      await consumer.processor(wake, consumer.controller.signal, 0);
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)), wake);
    } finally {
      active.delete(id);
      schedule();
    }
  };

  const handOut = (): void => {
    scheduled = false;
    for (const [id, { wake, release }] of hasPriorities ? byPriority(queued) : queued) {
      const free = [...consumers].filter(({ work, concurrency }) => work.size < concurrency);
      if (free.length === 0) return;
      const consumer = free.find(({ queues }) => serves(queues, wake.queue));
      if (consumer === undefined) continue;
      queued.delete(id);
      const work = processJob(consumer, id, wake).finally(() => consumer.work.delete(work));
      consumer.work.add(work);
      release();
    }
  };

  // Deferred: a chain of nodes that never wait would otherwise block timers and signals.
  const schedule = (): void => {
    if (scheduled || queued.size === 0) return;
    scheduled = true;
    setImmediate(handOut);
  };

  const add: Queue['wake'] = async (wakes) => {
    for (const wake of wakes) {
      const id = wakeId(wake);
      if (!active.has(id) && !queued.has(id)) queued.set(id, { wake, release: clock.hold() });
      hasPriorities ||= wake.priority !== undefined;
    }
    schedule();
  };

  return {
    wake: add,
    requeue: add,
    missing: async (wakes) => wakes.filter((wake) => !active.has(wakeId(wake)) && !queued.has(wakeId(wake))),
    // A consumer ends only together with the process.
    reconcile: async () => undefined,
    consume(processor, consuming) {
      const consumer = createConsumer(processor, consuming);
      consumers.add(consumer);
      schedule();
      return {
        async close() {
          consumers.delete(consumer);
          await Promise.all(consumer.work);
        },
      };
    },
    consumers: async (queue) => [...consumers].filter(({ queues }) => serves(queues, queue)).length,
    loads: async () => loadsOf({ queued, consumers, active: active.size }),
    async close() {
      for (const consumer of consumers) consumer.controller.abort();
      consumers.clear();
      for (const { release } of queued.values()) release();
      queued.clear();
    },
  };
}

function createConsumer(
  processor: Processor,
  { concurrency, queues = [defaultQueue] }: ConsumeOptions,
): InlineConsumer {
  const controller = new AbortController();
  // Every active activation listens to it.
  setMaxListeners(Number.POSITIVE_INFINITY, controller.signal);
  return { processor, concurrency, queues, controller, work: new Set() };
}

const serves = (queues: InlineConsumer['queues'], queue: QueueName = defaultQueue): boolean =>
  queues === 'all' || queues.includes(queue);

/** Returns wakes by priority, and those of one priority in the order of their arrival. */
const byPriority = (queued: ReadonlyMap<string, QueuedWake>): Iterable<readonly [string, QueuedWake]> =>
  [...queued].sort(([, { wake: a }], [, { wake: b }]) => (a.priority ?? 0) - (b.priority ?? 0));

interface QueueContents {
  readonly queued: ReadonlyMap<string, QueuedWake>;
  readonly consumers: ReadonlySet<InlineConsumer>;
  readonly active: number;
}

function loadsOf({ queued, consumers, active }: QueueContents): readonly QueueLoad[] {
  const waiting = [...queued.values()].map(({ wake: { queue = defaultQueue } }) => queue);
  return [...new Set([defaultQueue, ...waiting])].map((queue) => ({
    queue,
    waiting: waiting.filter((name) => name === queue).length,
    active: queue === defaultQueue ? active : 0,
    consumers: [...consumers].filter(({ queues }) => serves(queues, queue)).length,
  }));
}
