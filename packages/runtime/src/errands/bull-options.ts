import type { Redis } from 'ioredis';

/** What queues of errands and ticks are made with. */
export interface BullOptions {
  /** Whoever opened it closes it. */
  readonly connection: Redis;
  readonly prefix?: string;
  /** Hears of trouble with Redis. */
  readonly onError: (error: Error) => void;
}
