import type { RetryPolicy } from '@millrace/core';
import { describe, expect, it } from 'vitest';
import { retryPolicyOf } from '../nodes/retry-config.ts';
import { ModelError, modelErrorCode } from './model-error.ts';
import { retryDelaySeconds } from './retry.ts';

const policy = retryPolicyOf(undefined);

const httpError = (type: string, status?: number, retryAfterSeconds?: number) =>
  new ModelError(modelErrorCode(type, status), 'no', { type, status, retryAfterSeconds });

const delay = (error: unknown, more: Partial<RetryPolicy> & { attempt?: number; random?: number } = {}) => {
  const { attempt = 1, random = 0, ...changes } = more;
  return retryDelaySeconds({ ...policy, ...changes }, { error, attempt, random });
};

describe('retryDelay', () => {
  it('increases the random delay from the shortest to the longest', () => {
    const waits = [1, 2, 3, 4].map((attempt) => delay(httpError('RateLimitError', 429), { attempt, random: 0.5 }));
    expect(waits).toEqual([1, 1.5, 2.5, 3.5]);
  });

  it('gives up after the last attempt', () => {
    expect(delay(httpError('RateLimitError', 429), { attempt: 5 })).toBeUndefined();
  });

  it.each([400, 401, 403, 404, 422])('does not repeat a call with the response %d', (status) => {
    expect(delay(httpError('BadRequestError', status))).toBeUndefined();
  });

  it('repeats such a call when the workflow lists its status', () => {
    expect(delay(httpError('NotFoundError', 404), { statusCodes: [404] })).toBe(1);
  });

  it('repeats calls whose error matches by name, status, or words of its message', () => {
    const none = { errorTypes: [], statusCodes: [], messageParts: [] };
    expect(delay(httpError('APITimeoutError'), { ...none, errorTypes: ['openai.apiconnectionerror'] })).toBe(1);
    expect(delay(httpError('InternalServerError', 503), { ...none, statusCodes: [503] })).toBe(1);
    expect(delay(new Error('Temporarily Unavailable'), { ...none, messageParts: ['temporarily unavailable'] })).toBe(1);
    expect(delay(httpError('InternalServerError', 503), none)).toBeUndefined();
  });

  it('gives the list of final errors precedence', () => {
    expect(delay(httpError('RateLimitError', 429), { finalErrorTypes: ['ratelimiterror'] })).toBeUndefined();
  });

  it('also matches the cause of an error and the members of an aggregate error', () => {
    expect(delay(new Error('outer', { cause: httpError('RateLimitError', 429) }))).toBe(1);
    expect(delay(new AggregateError([httpError('RateLimitError', 429)], 'several'))).toBe(1);
    expect(delay(new Error('outer'))).toBeUndefined();
  });

  it('waits as long as the server requests, up to a limit', () => {
    expect(delay(httpError('RateLimitError', 429, 30))).toBe(30);
    expect(delay(httpError('RateLimitError', 429, 0.2))).toBe(1);
    expect(delay(httpError('RateLimitError', 429, 3600))).toBe(1);
  });
});
