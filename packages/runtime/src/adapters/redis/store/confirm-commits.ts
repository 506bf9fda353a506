import { RequestError } from '@millrace/core';
import type { Redis } from 'ioredis';
import type { Commit, CommitResult, Store } from '../../../ports/store/port.ts';

/** Options of {@link confirmCommits}. */
export interface ConfirmationOptions {
  /** Connection on which commits are sent: Redis confirms the writes of a connection. */
  readonly connection: Redis;
  /** Number of replicas that must have received a commit. */
  readonly replicas: number;
}

/** Time that replicas have, in milliseconds. */
const confirmWithinMs = 1000;

/** Events that are reported outside of the installation: a failover must not lose them. */
const requests: ReadonlySet<string> = new Set(['run.started', 'run.forked', 'activation.answered', 'signal.received']);

/**
 * Makes commits of requests, and those that end a run, wait until replicas have received them. A request that is not
 * confirmed in time is refused, although it may have been stored; the end of a run is not refused. A commit that a failover
 * has lost meanwhile diverges, so it is decided again.
 */
export function confirmCommits(
  { commit, since }: Pick<Store, 'commit' | 'since'>,
  { connection, replicas }: ConfirmationOptions,
): Store['commit'] {
  let closed = 0;
  connection.on('close', () => {
    closed += 1;
  });
  const confirm = shared(() => waitForReplicas(connection, replicas));
  /**
   * Returns undefined when another server is the master now: a connection to it confirms only its own writes, and one to
   * the former master, none.
   */
  const isConfirmed = async (before: number): Promise<boolean | undefined> => {
    const enough = await confirm();
    return closed === before ? enough : undefined;
  };
  /** Returns undefined when the commit must be sent again, which recognises itself. */
  const attempt = async (committing: Commit): Promise<CommitResult | undefined> => {
    const before = closed;
    const result = await commit(committing);
    if (result.type !== 'committed' || !isAwaited(committing)) return result;
    const confirmed = await isConfirmed(before);
    if (confirmed === false && has(committing, requests)) throw unconfirmed(replicas);
    if (confirmed !== undefined) return result;
    const found = await since({ run: committing.run, version: result.version, nonce: committing.next });
    return found.type === 'diverged' ? { type: 'diverged' } : undefined;
  };
  return async (committing) => {
    for (;;) {
      const result = await attempt(committing);
      if (result !== undefined) return result;
    }
  };
}

async function waitForReplicas(connection: Redis, replicas: number): Promise<boolean | undefined> {
  try {
    return (await connection.wait(replicas, confirmWithinMs)) >= replicas;
  } catch (error) {
    if (error instanceof Error && error.message.includes('WAIT cannot be used with replica')) return undefined;
    throw error;
  }
}

const ends: ReadonlySet<string> = new Set(['run.finished']);

const isAwaited = (commit: Commit): boolean => has(commit, requests) || has(commit, ends);

const has = ({ decision }: Commit, types: ReadonlySet<string>): boolean =>
  decision.events.some(({ type }) => types.has(type));

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
