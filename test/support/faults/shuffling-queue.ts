import type { Wake } from '@millrace/core';
import { wakeId } from '@millrace/core';
import type { Processor, Queue } from '@millrace/runtime';

/**
 * A queue in one process that delivers wakes in an order of its own, several at a time, and some of them twice.
 * `choose(n)` gives a number below n; the same choices give the same order.
 */
export function createShufflingQueue(choose: (below: number) => number, report: (error: unknown) => void): Queue {
  const queued = new Map<string, Wake>();
  const processors: Processor[] = [];
  const never = new AbortController().signal;
  let running = false;

  const next = (): Wake | undefined => {
    const [id, wake] = [...queued][choose(queued.size)] ?? [];
    if (id !== undefined && choose(8) > 0) queued.delete(id);
    return wake;
  };

  const drain = async (processor: Processor): Promise<void> => {
    running = true;
    while (queued.size > 0) {
      const batch = Array.from({ length: 1 + choose(3) }, next).filter((wake) => wake !== undefined);
      await Promise.all(batch.map((wake) => processor(wake, never, 0).catch(report)));
    }
    running = false;
  };

  const begin = (): void => {
    const [processor] = processors;
    if (processor !== undefined && !running && queued.size > 0) void drain(processor);
  };

  const add: Queue['wake'] = (wakes) => {
    for (const one of wakes) queued.set(wakeId(one), one);
    begin();
    return Promise.resolve();
  };
  return {
    wake: add,
    requeue: add,
    missing: (wakes) => Promise.resolve(wakes.filter((one) => !queued.has(wakeId(one)))),
    reconcile: () => Promise.resolve(),
    consume(processor) {
      processors.push(processor);
      begin();
      return { close: () => Promise.resolve() };
    },
    consumers: () => Promise.resolve(processors.length),
    loads: () => Promise.resolve([]),
    close() {
      queued.clear();
      return Promise.resolve();
    },
  };
}
