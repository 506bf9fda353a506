import { refusedBy, unreachable, withTimeout } from '@millrace/runtime';

const timeoutMs = 2000;

/** Settles as a command to Redis does, or rejects with REDIS_UNREACHABLE: commands wait as long as Redis is away. */
export const withRedisTimeout = <T>(command: Promise<T>): Promise<T> =>
  withTimeout(command, timeoutMs, () => refusedBy(unreachable));
