import { expect, it } from 'vitest';
import { parseRateLimitHeaders } from './rate-limit-headers.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

it.each([
  ['120ms', 120],
  ['1m0s', 60_000],
  ['1m30.5s', 60_000],
  ['12.000000001s', 12_000],
  ['2s500ms', 2500],
  ['7', 7000],
  ['0.5', 500],
  ['2026-01-01T00:00:20Z', 20_000],
])('waits until the reset of a limit of which nothing remains: %s', (reset, retryAfterMs) => {
  const headers = new Headers({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': reset });

  expect(parseRateLimitHeaders(headers, now)).toEqual({ retryAfterMs });
});

it.each(['soon', '5 s', '1m later', '2025-01-01T00:00:00Z'])(
  'does not wait for a reset that is over or no time: %s',
  (reset) => {
    const headers = new Headers({ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': reset });

    expect(parseRateLimitHeaders(headers, now)).toBeUndefined();
  },
);
