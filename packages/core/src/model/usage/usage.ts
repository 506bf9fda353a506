import type { z } from 'zod';
import type { DeepReadonly, ModelUsage as ModelUsageSchema, Recorded, Usage as UsageSchema } from '../recorded.ts';

/** Usage of a call of a model as the provider counted it, with its cost in micro-dollars. */
export type Usage = Recorded<typeof UsageSchema>;

/** Number of calls of models, and their usage in all. `unpriced`: calls that `microUsd` does not contain. */
export type ModelUsage = Recorded<typeof ModelUsageSchema>;

/** Names of the tokens that are parts of the prompt or of the answer. */
export const tokenParts = [
  'cachedTokens',
  'cacheWriteTokens',
  'cacheWriteLongTokens',
  'audioPromptTokens',
  'imagePromptTokens',
  'reasoningTokens',
  'audioCompletionTokens',
  'imageCompletionTokens',
] as const;

/** Names of all numbers of a {@link ModelUsage}. */
export const usageFields = [
  'calls',
  'promptTokens',
  'completionTokens',
  ...tokenParts,
  'toolRequests',
  'microUsd',
  'savedMicroUsd',
  'unpriced',
] as const satisfies readonly (keyof ModelUsage)[];

/**
 * Names of all numbers that are counted by day: the usage of calls, ends of runs, and `lostTokens` and `lostMicroUsd`, the
 * reservations of calls whose outcome will never be known. `budgetStopped` is part of `terminated`.
 */
export const usageMeasures = [
  ...usageFields,
  'completed',
  'failed',
  'cancelled',
  'terminated',
  'budgetStopped',
  'lostTokens',
  'lostMicroUsd',
] as const;

/** The usage of no calls. */
export const noModelUsage: ModelUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** Returns the tokens of prompts and answers together; absent numbers are 0. */
export const tokensOf = (usage: Tokens | undefined): number =>
  (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);

type Tokens = { readonly [Field in 'promptTokens' | 'completionTokens']?: number | undefined };

/** Usage as it is recorded, or as it was read. */
type AnyModelUsage = DeepReadonly<z.output<typeof ModelUsageSchema>>;
type AnyUsage = DeepReadonly<z.output<typeof UsageSchema>>;

/** Returns the usage with one more call. */
export function addModelCall(before: AnyModelUsage, usage: AnyUsage): ModelUsage {
  const { requests, microUsd } = usage;
  const toolRequests = requests === undefined ? 0 : Object.values(requests).reduce((sum, count) => sum + count, 0);
  // A copy that gets further fields would take a multiple of the memory.
  return addUsage(before, {
    calls: 1,
    ...(toolRequests === 0 ? {} : { toolRequests }),
    ...(microUsd === undefined ? { unpriced: 1 } : {}),
    ...usage,
  });
}

/** Returns the sum of two usages. What both lack, such as a price, the sum lacks too. */
export const addUsage = (a: AnyModelUsage, b: AnyModelUsage): ModelUsage => combined(a, b, (one, other) => one + other);

/** Returns a usage without a part of it. */
export const subtractUsage = (all: AnyModelUsage, part: AnyModelUsage): ModelUsage =>
  combined(all, part, (one, other) => one - other);

function combined(a: AnyModelUsage, b: AnyModelUsage, number: (one: number, other: number) => number): ModelUsage {
  // Written out: a copy that gets further fields would take a multiple of the memory.
  const result: { -readonly [Field in keyof ModelUsage]: ModelUsage[Field] } = {
    calls: 0,
    promptTokens: 0,
    completionTokens: 0,
  };
  for (const field of usageFields) {
    const [one, other] = [a[field], b[field]];
    if (one !== undefined || other !== undefined) result[field] = number(one ?? 0, other ?? 0);
  }
  return result;
}
