import type { QueueName } from '@millrace/core';

/** Between two looks at which queues there are, in milliseconds. */
const everyMs = 500;

/** Tells of all queues that there are, at once and again and again, until it is closed. */
export function followQueues(
  known: () => Promise<readonly QueueName[]>,
  onQueues: (queues: readonly QueueName[]) => void,
  onError: (error: Error) => void,
): { close(): void } {
  let closed = false;
  let asking = false;
  const look = async () => {
    // A Redis that is away is not asked again before it has answered.
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
