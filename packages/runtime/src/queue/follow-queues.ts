import type { QueueName } from '@millrace/core';

/** Interval between two reads of the list of queues, in milliseconds. */
const everyMs = 500;

/** Calls back with the list of queues, at once and at intervals, until it is closed. */
export function followQueues(
  known: () => Promise<readonly QueueName[]>,
  onQueues: (queues: readonly QueueName[]) => void,
  onError: (error: Error) => void,
): { close(): void } {
  let closed = false;
  let asking = false;
  const look = async () => {
    // During an outage of Redis there is one request at a time.
    if (asking) return;
    asking = true;
    try {
      const queues = await known();
      if (!closed) onQueues(queues);
    } catch (error) {
      if (!closed) onError(error instanceof Error ? error : new Error(String(error)));
    }
    asking = false;
  };
  void look();
  const timer = setInterval(() => void look(), everyMs);
  return {
    close() {
      closed = true;
      clearInterval(timer);
    },
  };
}
