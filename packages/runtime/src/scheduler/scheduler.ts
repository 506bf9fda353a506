import type { Consumer } from '../queue/port.ts';
import type { Cron } from './cron.ts';

/** A time at which something is to happen, of a series of such times. */
export interface Tick {
  /** The name of the series. */
  readonly series: string;
  /** Milliseconds since 1970; the time itself, not when it was noticed. */
  readonly at: number;
  /** The time by the clock of Redis, when the tick was found due; milliseconds since 1970. */
  readonly now: number;
}

/** Series of ticks, by the clock of Redis. Each tick is given to one consumer; to another one when that fails; and late when there was none. */
export interface Scheduler {
  /** Begins a series, or goes on with it at other times; changes nothing when the times stay the same. Letters, digits, `_`, `-` and `~` make its name. */
  set(series: string, cron: Cron): Promise<void>;
  clear(series: string): Promise<void>;
  /** Removes what an older version kept of all series, once nobody works with it any more. Every series is to be set before. */
  retire(): Promise<void>;
  /** The times of a series that goes on. */
  find(series: string): Promise<Cron | undefined>;
  /** Of the ticks that nobody was there for, only the first is given. */
  consume(perform: (tick: Tick) => Promise<void>): Consumer;
}
