import { omitUndefined, parseDuration } from '@millrace/core';
import type { ProviderLimits } from '@millrace/runtime';

/** Reads a provider's limits from the headers of an answer; undefined when they name none. */
export function parseRateLimitHeaders(headers: Headers, now: number): ProviderLimits | undefined {
  const retryAfterMs = Math.max(msUntilReset(headers, 'requests', now), msUntilReset(headers, 'tokens', now));
  const requests = limitOf(headers, 'requests');
  const tokens = limitOf(headers, 'tokens');
  if (retryAfterMs === 0 && requests === undefined && tokens === undefined) return undefined;
  return {
    ...(retryAfterMs === 0 ? {} : { retryAfterMs }),
    ...omitUndefined({ requestsPerMinute: requests, tokensPerMinute: tokens }),
  };
}

/** Longest delay that is accepted, so that no server can stop a run for hours. */
const maxDelayMs = 60_000;

type LimitedUnit = 'requests' | 'tokens';

const read = (headers: Headers, what: LimitedUnit, field: 'limit' | 'remaining' | 'reset'): string | null =>
  headers.get(`x-ratelimit-${field}-${what}`) ?? headers.get(`anthropic-ratelimit-${what}-${field}`);

function limitOf(headers: Headers, what: LimitedUnit): number | undefined {
  const limit = Number(read(headers, what, 'limit') ?? '');
  return Number.isFinite(limit) && limit >= 1 ? Math.floor(limit) : undefined;
}

/** Returns the time until the limit resets if nothing of it remains, else 0. */
function msUntilReset(headers: Headers, what: LimitedUnit, now: number): number {
  if (read(headers, what, 'remaining') !== '0') return 0;
  return Math.min(maxDelayMs, untilReset(read(headers, what, 'reset') ?? '', now));
}

/** Parses durations in a row, such as `1s`, `6m0s` or `1m30.5s`, a number of seconds, or a time. */
function untilReset(written: string, now: number): number {
  if (/^\d+(\.\d+)?$/.test(written)) return Number(written) * 1000;
  const parts = /^(?:[\d.]+[a-z]+)+$/.test(written) ? (written.match(/[\d.]+[a-z]+/g) ?? []) : [];
  if (parts.length > 0) return parts.reduce((sum, part) => sum + (parseDuration(part) ?? 0), 0);
  return Math.max(0, (Date.parse(written) || now) - now);
}
