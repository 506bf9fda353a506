import { RequestError } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { Confirmation, Store } from '../../../ports/store/port.ts';
import type { Shard } from '../connection/shard.ts';

/*
 * `WAIT` confirms the writes of its own connection, and those that the same server has made before them. So a connection of
 * its own first writes, then waits until replicas have that write, and then looks for the version of the run. The version
 * was made before the write; if the server has it, the replicas have it, too. All three must be answered over one and the same
 * connection: after a failover, the next connection leads to a server that may never have had the version.
 *
 * That holds for a version that was committed by this process as for one that it has only read: a request that is repeated
 * finds what it has stored at a master whose replicas may still lack it. `WAIT` blocks its connection, so no other command
 * waits for it.
 */

/** Options of {@link createConfirmations}. */
export interface ConfirmationOptions extends Shard {
  /** Number of replicas that must have a version. */
  readonly replicas: number;
  /** Reads, over a connection, what was committed after a version. */
  readonly since: (connection: Redis, ...known: Parameters<Store['since']>) => ReturnType<Store['since']>;
}

/** Confirmations by replicas, see {@link Store.confirm}. */
export interface Confirmations {
  readonly confirm: NonNullable<Store['confirm']>;
  close(): void;
}

/** Time that replicas have, in milliseconds. */
const confirmWithinMs = 1000;

/** Creates the confirmations of a shard; they connect when they are needed first. */
export function createConfirmations({ connection, keys, replicas, since }: ConfirmationOptions): Confirmations {
  let own: OwnConnection | undefined;
  const opened = () => {
    own ??= openOwn(connection);
    return own;
  };
  /** Returns whether replicas have all writes so far, and the number of the connection that says so. */
  const confirmAll = shared(async () => {
    const { redis, number } = opened();
    const at = number();
    await redis.set(keys.confirmed, '');
    return { enough: await hasReplicas(redis, replicas), at };
  });
  return {
    async confirm(known): Promise<Confirmation> {
      for (;;) {
        const { enough, at } = await confirmAll();
        const { redis, number } = opened();
        const found = await since(redis, known);
        if (enough === undefined || at !== number()) continue;
        if (found.type === 'diverged') return { type: 'diverged' };
        return enough ? { type: 'confirmed' } : { type: 'unconfirmed', error: unconfirmed(replicas) };
      }
    },
    close: () => own?.redis.disconnect(),
  };
}

interface OwnConnection {
  readonly redis: Redis;
  /** Changes whenever the connection has broken. */
  readonly number: () => number;
}

function openOwn(connection: Redis): OwnConnection {
  const redis = connection.duplicate({ connectionName: 'millrace-confirmations' });
  let broken = 0;
  redis.on('close', () => {
    broken += 1;
  });
  // The connection of the shard reports them.
  redis.on('error', () => undefined);
  return { redis, number: () => broken };
}

/** Returns undefined when the server has become a replica meanwhile. */
async function hasReplicas(redis: Redis, replicas: number): Promise<boolean | undefined> {
  try {
    return (await redis.wait(replicas, confirmWithinMs)) >= replicas;
  } catch (error) {
    if (error instanceof Error && error.message.includes('WAIT cannot be used with replica')) return undefined;
    throw error;
  }
}

const unconfirmed = (replicas: number): RequestError =>
  new RequestError(
    'REDIS_NO_REPLICAS',
    `The request was stored, but ${replicas === 1 ? 'no replica' : `fewer than ${replicas} replicas`} of Redis confirmed it within ${confirmWithinMs} ms. Try again later.`,
  );

/** Executes one action at a time; callers that come meanwhile share the next one. */
function shared<T>(act: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const begin = (): Promise<T> => {
    current = act().finally(() => {
      current = undefined;
    });
    return current;
  };
  return () => {
    if (current === undefined) return begin();
    const follow = (): Promise<T> => {
      next = undefined;
      return begin();
    };
    next ??= current.then(follow, follow);
    return next;
  };
}
