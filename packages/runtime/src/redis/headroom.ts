import type { Redis } from 'ioredis';

/** Memory that a Redis has left for runs, and its policy when there is none. A limit of 0 is none. */
export interface Headroom {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Its `maxmemory-policy`; undefined when it does not tell. */
  readonly policy: string | undefined;
  /** So little is left that it is kept for the runs that there are. */
  readonly isFull: boolean;
}

/** Share of the memory from which on new runs are refused, so that those that are under way can come to their end. */
const fullAt = 0.9;

/** Asks Redis how full it is. */
export async function headroomOf(connection: Redis): Promise<Headroom> {
  const info = await connection.info('memory');
  const number = (name: string): number => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  const usedBytes = number('used_memory');
  const limitBytes = number('maxmemory');
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(info)?.[1];
  return { usedBytes, limitBytes, policy, isFull: limitBytes > 0 && usedBytes > limitBytes * fullAt };
}
