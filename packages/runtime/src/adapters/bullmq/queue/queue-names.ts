import type { QueueName } from '@millrace/core';
import { defaultQueue } from '@millrace/core';
import { LruMap } from '../../../blobs/read-through-cache.ts';
import { announceChange, startRefresh, subscribeToChanges } from '../../../live/refresh.ts';
import type { Broadcast, Subscription } from '../../../ports/broadcast.ts';
import type { Shard } from '../../redis/connection/shard.ts';

/** Names of the queues of an installation. */
export interface QueueNames {
  /** Lists a queue for all processes. */
  announce(queue: QueueName): Promise<void>;
  /** Returns the names of all queues, the default one first. */
  read(): Promise<readonly QueueName[]>;
  /** Returns those of the last half minute, and new ones that were announced. */
  recent(): Promise<readonly QueueName[]>;
  /** Calls back with the names of all queues, at once and when there are new ones, until it is closed. */
  follow(onQueues: (queues: readonly QueueName[]) => void, onError: (error: Error) => void): { close(): void };
}

/** Time for which the names are valid that `recent` returns, in milliseconds: an announcement may be lost. */
const recentMs = 30_000;
/** The same where there are no announcements. */
const recentMsWithoutNotices = 5000;

/** Creates the names of the queues of a shard. */
export function createQueueNames({ connection, keys: { queues } }: Shard, broadcast?: Broadcast): QueueNames {
  /** Queues that this process has listed. */
  const announced = new Set<QueueName>([defaultQueue]);
  const read = async (): Promise<readonly QueueName[]> => [defaultQueue, ...(await connection.smembers(queues)).sort()];
  const forMs = broadcast === undefined ? recentMsWithoutNotices : recentMs;
  const cached = new LruMap<readonly QueueName[]>({ forMs, limit: 1 });
  let subscription: Subscription | undefined;
  return {
    read,
    async recent() {
      subscription ??= subscribeToChanges(broadcast, 'queues', () => cached.drop(''));
      await subscription?.ready;
      return cached.of('', read);
    },
    async announce(queue) {
      if (announced.has(queue)) return;
      const added = await connection.sadd(queues, queue);
      announced.add(queue);
      if (added > 0) announceChange(broadcast, 'queues');
    },
    follow: (onQueues, onError) =>
      startRefresh({ of: 'queues', broadcast, read: async () => onQueues(await read()), onError }),
  };
}
