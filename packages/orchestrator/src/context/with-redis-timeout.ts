import { refusedBy, unreachable, withTimeout } from '@millrace/runtime';

const timeoutMs = 2000;

/** Returns the result of a command to Redis, or rejects with REDIS_UNREACHABLE: commands wait while Redis is unreachable. */
export const withRedisTimeout = <T>(command: Promise<T>): Promise<T> =>
  withTimeout(command, timeoutMs, () => refusedBy(unreachable));
