import { z } from 'zod';

const units = { ms: 1, s: 1000, m: 60_000 } as const;
const longestMs = 60_000;

/** Time that a request may wait, as in `30s`; parsed as milliseconds, at most a minute. */
export const Wait = z
  .string()
  .regex(/^\d{1,6}(ms|s|m)$/, 'must be a duration such as 500ms, 30s or 1m')
  .transform((text) => {
    const [, amount, unit] = /^(\d+)(ms|s|m)$/.exec(text) ?? [];
    return Math.min(Number(amount) * units[unit as keyof typeof units], longestMs); // the pattern above allows no other unit
  });

/** Time that a request may wait in its header `Prefer: wait=30`, in seconds; parsed as milliseconds, at most a minute. */
export const Preference = z
  .string()
  .optional()
  .transform((text) => {
    const [, seconds] = /(?:^|[,;\s])wait=(\d{1,6})(?:[,;\s]|$)/.exec(text ?? '') ?? [];
    return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, longestMs);
  });
