import { parseDuration } from '@millrace/client/duration';
import { InvalidArgumentError } from 'commander';

/** Parses a duration such as 30s, 15m, 24h or 90d as milliseconds. */
export function durationArgument(text: string): number {
  const ms = durationIn(text);
  if (ms === undefined) throw new InvalidArgumentError('Give a duration such as 30s, 15m, 24h or 90d.');
  return ms;
}

const longestMs = 1_000_000 * 24 * 60 * 60 * 1000;

/** Parses a positive duration of less than a million days as milliseconds; undefined for other texts. */
export function durationIn(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms === undefined || ms === 0 || ms >= longestMs ? undefined : ms;
}
