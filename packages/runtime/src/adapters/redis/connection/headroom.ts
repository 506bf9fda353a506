import type { Redis } from 'ioredis';

/** Memory that a Redis has left for runs, and its policy when there is none. A limit of 0 means no limit. */
export interface Headroom {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Its `maxmemory-policy`; undefined when it cannot be read. */
  readonly policy: string | undefined;
  /** The remaining memory is reserved for existing runs. */
  readonly isFull: boolean;
  /** Time of Redis in milliseconds since 1970; undefined when INFO does not tell it. */
  readonly timeMs: number | undefined;
}

/** Share of the memory above which new runs are refused, so that existing runs can end. */
const fullAt = 0.9;

/** Reads the memory usage of Redis, and its time. Redis 6 returns either one section or, as here, the usual ones. */
export async function headroomOf(connection: Redis): Promise<Headroom> {
  const info = await connection.info();
  const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const usedBytes = number('used_memory');
  const limitBytes = number('maxmemory');
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1];
  const timeMs = number('server_time_usec') / 1000 || undefined;
  return { usedBytes, limitBytes, policy, isFull: limitBytes > 0 && usedBytes > limitBytes * fullAt, timeMs };
}
