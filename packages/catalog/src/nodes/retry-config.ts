import type { RetryPolicy } from '@millrace/core';
import { singleLine } from '@millrace/core';
import { z } from 'zod';

const list = (error: string) => z.array(z.string({ error }).regex(singleLine), { error });
const attempts = { error: 'Write a whole number of at least 1, such as `max_attempts: 5`.' };
const seconds = { error: 'Write a number of seconds, 0 or more.' };

/** The `retry` block of an agent: when and how often a failed model call is repeated. */
export const RetryConfig = z
  .object({
    enabled: z.boolean({ error: 'Write `true` or `false`.' }).default(true).describe('false never retries.'),
    max_attempts: z.int(attempts).min(1, attempts).default(5).describe('Number of calls in total; 1 never retries.'),
    min_wait_seconds: z.number(seconds).min(0, seconds).default(1).describe('Shortest wait between two calls.'),
    max_wait_seconds: z.number(seconds).min(0, seconds).default(6).describe('Longest wait between two calls.'),
    retry_on_status_codes: z
      .array(z.int({ error: 'Write HTTP status codes as numbers, such as [429, 503].' }), {
        error: 'Write a list of HTTP status codes, such as [429, 503].',
      })
      .default([408, 409, 425, 429, 500, 502, 503, 504])
      .describe('HTTP status codes that are retried.'),
    retry_on_exception_types: list('Write a list of error names, such as [RateLimitError].')
      .default([
        'RateLimitError',
        'APITimeoutError',
        'APIError',
        'APIConnectionError',
        'ServiceUnavailableError',
        'TimeoutError',
        'InternalServerError',
        'RemoteProtocolError',
        'TransportError',
        'ConnectError',
        'ConnectTimeout',
        'ReadError',
        'ReadTimeout',
      ])
      .describe(
        'Error names that are retried, except for responses 4xx other than 408, 409, 425 and 429, and for calls that cannot be sent, such as those without a key. Case does not matter.',
      ),
    non_retry_exception_types: list('Write a list of error names, such as [AuthenticationError].')
      .default([])
      .describe('Error names that are never retried; they override the other lists.'),
    retry_on_error_substrings: list('Write a list of texts, such as ["rate limit"].')
      .default(['rate limit', 'temporarily unavailable', 'timeout', 'server disconnected', 'connection reset'])
      .describe('Errors whose message contains one of these are retried; case does not matter.'),
  })
  .refine((retry) => retry.max_wait_seconds >= retry.min_wait_seconds, {
    path: ['max_wait_seconds'],
    error: 'Write a max_wait_seconds that is not below min_wait_seconds (the defaults are 6 and 1).',
  });

/** Returns the policy of a `retry` block, or the defaults without one. */
export function retryPolicyOf(written: z.infer<typeof RetryConfig> | null | undefined): RetryPolicy {
  const retry = written ?? RetryConfig.parse({});
  return {
    maxAttempts: retry.enabled ? retry.max_attempts : 1,
    minWaitSeconds: retry.min_wait_seconds,
    maxWaitSeconds: retry.max_wait_seconds,
    statusCodes: retry.retry_on_status_codes,
    errorTypes: retry.retry_on_exception_types.map(lower),
    finalErrorTypes: retry.non_retry_exception_types.map(lower),
    messageParts: retry.retry_on_error_substrings.map(lower),
  };
}

const lower = (text: string): string => text.trim().toLowerCase();
