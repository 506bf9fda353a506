import { durationPattern, parseDuration } from '@millrace/core';
import { z } from 'zod';

const longestMs = 60_000;

/** Time that a request may wait, as in `30s`; parsed as milliseconds, at most a minute. */
export const Wait = z
  .string()
  .regex(durationPattern, 'must be a duration such as 500ms, 30s or 1m')
  .transform((text) => Math.min(parseDuration(text) ?? 0, longestMs));

/** Time that a request may wait in its header `Prefer: wait=30`, in seconds; parsed as milliseconds, at most a minute. */
export const Preference = z
  .string()
  .optional()
  .transform((text) => {
    const [, seconds] = /(?:^|[,;\s])wait=(\d{1,6})(?:[,;\s]|$)/.exec(text ?? '') ?? [];
    return seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, longestMs);
  });
