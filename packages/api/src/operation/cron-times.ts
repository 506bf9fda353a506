/** Times that recur, as a cron expression and a time zone name them. */
interface Cron {
  readonly cron: string;
  readonly timezone: string;
}

/** Parser of cron expressions. */
export interface CronTimes {
  /** Throws RequestError, `CRON_INVALID`, for an expression or a time zone that does not exist. */
  assertValid(cron: Cron): void;
  /** Returns the first time after `after`; both in milliseconds since 1970. */
  next(cron: Cron, after: number): number;
  /** Returns the first `count` times after `after`; all in milliseconds since 1970. */
  nextTimes(cron: Cron, after: number, count: number): readonly number[];
  /** Returns an expression in words, as in `At 07:00, Monday through Friday`. */
  sentence(cron: string): Promise<string>;
}
