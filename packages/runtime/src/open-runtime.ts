import type { Vocabulary } from '@millrace/core';
import type { Runs } from './api.ts';
import type { Caretaker } from './caretaker.ts';
import { startCaretaker } from './caretaker.ts';
import { createBullQueue } from './queue/bull-queue.ts';
import { createInlineQueue } from './queue/inline-queue.ts';
import type { Queue } from './queue/port.ts';
import { assertRedis, connect } from './redis/connection.ts';
import { createRuns } from './runs.ts';
import { createMemoryStore } from './store/memory-store.ts';
import type { Store } from './store/port.ts';
import { createRedisStore } from './store/redis-store.ts';

/** Where runs live: in a Redis, or in this process only. */
export type Where =
  | { readonly redisUrl: string; readonly prefix?: string }
  /** `now` gives milliseconds since 1970 in place of the process's clock. */
  | { readonly local: true; readonly now?: () => number };

/** Tells people of trouble; the error may be anything that was thrown. */
export type Report = (message: string, error: unknown) => void;

/** What a process needs to start, watch and work on runs. */
export interface Runtime {
  readonly runs: Runs;
  readonly store: Store;
  readonly queue: Queue;
  /** What people should know about how safe the stored runs are. */
  readonly findings: readonly string[];
  /** Looks after lost wakes until it, or the runtime, is closed. */
  startCaretaker(): Caretaker;
  close(): Promise<void>;
}

/** Connects everything. Throws RequestError when Redis cannot be reached or may lose runs silently. */
export async function openRuntime(where: Where, vocabulary: Vocabulary, report: Report): Promise<Runtime> {
  const base = 'local' in where ? openLocal(where, report) : await openRedis(where, report);
  const { store, queue } = base;
  const runs = createRuns({ store, queue, vocabulary, report });
  const caretakers = new Set<Caretaker>();
  return {
    runs,
    store,
    queue,
    findings: base.findings,
    startCaretaker() {
      const caretaker = startCaretaker({ store, queue, report });
      caretakers.add(caretaker);
      return caretaker;
    },
    async close() {
      await Promise.all([...caretakers].map((caretaker) => caretaker.close()));
      await queue.close();
      await store.close();
      await base.disconnect();
    },
  };
}

interface Base {
  readonly store: Store;
  readonly queue: Queue;
  readonly findings: readonly string[];
  readonly disconnect: () => Promise<void>;
}

function openLocal({ now }: Extract<Where, { local: true }>, report: Report): Base {
  return {
    store: createMemoryStore(now === undefined ? {} : { now }),
    queue: createInlineQueue({ onError: (error) => report('an activation could not be worked on', error) }),
    findings: ['Runs live in this process only: nothing survives it.'],
    disconnect: async () => {},
  };
}

async function openRedis({ redisUrl, prefix }: Extract<Where, { redisUrl: string }>, report: Report): Promise<Base> {
  const connection = connect(redisUrl, 'store');
  const named = prefix === undefined ? {} : { prefix };
  try {
    const { warnings } = await assertRedis(connection);
    return {
      store: createRedisStore({ connection, ...named }),
      queue: createBullQueue({ connection, ...named, onError: (error) => report('trouble in the queue', error) }),
      findings: warnings,
      disconnect: async () => connection.disconnect(),
    };
  } catch (error) {
    connection.disconnect();
    throw error;
  }
}
