import type { RetryPolicy } from '@millrace/core';
import type { ModelErrorCode } from './model-error.ts';

/** A failed model call for the retry policy. */
export interface RetryInput {
  readonly error: unknown;
  /** Number of calls that were made, this one included. */
  readonly attempt: number;
  /** Random number from 0 up to 1, which spreads the waits of many callers. */
  readonly random: number;
}

/** Statuses from 400 to 499 that are temporary; with all others a server refuses the same request permanently. */
const temporaryStatuses: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Returns whether a retry cannot change the response with this HTTP status. */
export const isFinalStatus = (status: number): boolean =>
  status >= 400 && status < 500 && !temporaryStatuses.has(status);

/** Failures without a response that a retry cannot change, because the call was never sent. */
const finalCodes: ReadonlySet<unknown> = new Set<ModelErrorCode>([
  'MODEL_AUTH',
  'MODEL_NOT_FOUND',
  'MODEL_BAD_REQUEST',
  'ADDRESS_REFUSED',
]);

/** Maximum wait on request of a server, so that a server cannot stop a run for hours. */
const maxRetryAfterSeconds = 60;

/** Returns the time to wait before the next call, in seconds; undefined for no retry. */
export function retryDelaySeconds(policy: RetryPolicy, { error, attempt, random }: RetryInput): number | undefined {
  if (attempt >= policy.maxAttempts) return undefined;
  const errors = chainOf(error);
  if (!isRetried(policy, errors)) return undefined;
  const { minWaitSeconds: min, maxWaitSeconds: max } = policy;
  const bound = Math.max(min, Math.min(max, 2 ** (attempt - 1)));
  const wait = min + random * (bound - min);
  const requested =
    errors.map((each) => numberIn(each, 'retryAfterSeconds')).find((seconds) => seconds !== undefined) ?? 0;
  return requested > maxRetryAfterSeconds ? wait : Math.max(wait, requested);
}

function isRetried(policy: RetryPolicy, errors: readonly object[]): boolean {
  const names = new Set(errors.flatMap(namesOf));
  const statuses = errors.map((each) => numberIn(each, 'status')).filter((status) => status !== undefined);
  const named = (types: readonly string[]) => types.some((type) => names.has(bareName(type)));
  if (named(policy.finalErrorTypes)) return false;
  // No wait changes a used-up quota, whatever its status is; an author may ask for it by the status of payments.
  if (errors.some((each) => 'code' in each && each.code === 'MODEL_QUOTA')) return policy.statusCodes.includes(402);
  if (statuses.some((status) => policy.statusCodes.includes(status))) return true;
  if (statuses.some(isFinalStatus)) return false;
  if (statuses.length === 0 && errors.some((each) => 'code' in each && finalCodes.has(each.code))) return false;
  if (named(policy.errorTypes)) return true;
  const messages = errors.map((each) => ('message' in each ? String(each.message).toLowerCase() : ''));
  return policy.messageParts.some((part) => messages.some((message) => message.includes(part)));
}

/** Returns the error, its causes, and the members of groups. */
function chainOf(error: unknown): object[] {
  const found = new Set<object>();
  const visit = (each: unknown): void => {
    if (typeof each !== 'object' || each === null || found.has(each)) return;
    found.add(each);
    if (each instanceof AggregateError) each.errors.forEach(visit);
    if ('cause' in each) visit(each.cause);
  };
  visit(error);
  return [...found];
}

function namesOf(error: object): string[] {
  const names: string[] = 'types' in error && Array.isArray(error.types) ? error.types.map(String) : [];
  if ('name' in error) names.push(String(error.name));
  for (let type: object | null = Object.getPrototypeOf(error); type !== null; type = Object.getPrototypeOf(type)) {
    names.push(type.constructor.name);
  }
  return names.map((name) => name.toLowerCase());
}

// Authors may write `openai.RateLimitError` for RateLimitError.
const bareName = (type: string): string => type.slice(type.lastIndexOf('.') + 1);

function numberIn(error: object, key: 'status' | 'retryAfterSeconds'): number | undefined {
  const value: unknown = key in error ? Reflect.get(error, key) : undefined;
  return typeof value === 'number' ? value : undefined;
}
