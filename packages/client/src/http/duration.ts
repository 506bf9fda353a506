import type { DurationText } from '../generated/duration.ts';
import { parseDuration } from '../generated/duration.ts';

/** Length of time: milliseconds, or a text such as `90s`, `30m`, `2h` or `7d`. */
export type Duration = number | DurationText;

/** Returns a duration in milliseconds. Throws TypeError for a text that is not a duration. */
export function toMilliseconds(duration: Duration): number {
  const ms = typeof duration === 'number' ? duration : parseDuration(duration);
  if (ms !== undefined) return ms;
  throw new TypeError(`"${duration}" is not a duration. Write one such as 90s, 30m or 2h.`);
}
