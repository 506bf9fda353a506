import type { QueueName, RunId } from '@millrace/core';
import { activationsOf, isBlocked, isExecuting, locateActivation } from '@millrace/core';
import type { Runs } from '../contract/runs.ts';
import type { Queue } from '../ports/queue.ts';

/** A queue in which a run waits and that has no worker. */
export interface UnservedQueue {
  readonly queue: QueueName;
  /** One of the nodes that wait. */
  readonly node: string;
}

/** Returns the queues without workers, beside the default one, in which activations of a run wait. */
export async function unservedQueues(
  { runs, queue }: { readonly runs: Pick<Runs, 'refresh'>; readonly queue: Pick<Queue, 'consumers'> },
  run: RunId,
): Promise<readonly UnservedQueue[]> {
  const open = await runs.refresh(run);
  if (open === undefined || !open.plan.routed) return [];
  const waiting = new Map<QueueName, string>();
  for (const [, record] of activationsOf(open.state)) {
    if (record.queue === undefined || record.failed || record.held || isExecuting(record) || isBlocked(record))
      continue;
    waiting.set(record.queue, locateActivation(open.plan, open.state, record).node?.id ?? '');
  }
  const consumers = await Promise.all([...waiting.keys()].map((name) => queue.consumers(name)));
  return [...waiting].filter((_, at) => consumers[at] === 0).map(([name, node]) => ({ queue: name, node }));
}
