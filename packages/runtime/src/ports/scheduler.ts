import type { Cron } from './cron.ts';
import type { Consumer } from './queue.ts';

/** A time at which something is to happen, of a series of such times. */
export interface Tick {
  /** The name of the series. */
  readonly series: string;
  /** Milliseconds since 1970; the time itself, not when it was noticed. */
  readonly at: number;
  /** The time by the clock of Redis, when the tick was found due; milliseconds since 1970. */
  readonly now: number;
  /** It has failed so often that it is not given again. */
  readonly isLast: boolean;
}

/**
 * Series of ticks, by the clock of Redis. Each tick is given to one consumer; to another one when that fails; and late
 * when there was no consumer.
 */
export interface Scheduler {
  /**
   * Starts a series, or changes its times; does nothing when the times stay the same. The name consists of letters,
   * digits, `_`, `-` and `~`.
   */
  set(series: string, cron: Cron): Promise<void>;
  clear(series: string): Promise<void>;
  /** The times of a series that continues. */
  find(series: string): Promise<Cron | undefined>;
  /** Of the ticks that passed without a consumer, only the first is given. */
  consume(perform: (tick: Tick) => Promise<void>): Consumer;
}
