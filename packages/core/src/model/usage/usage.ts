import type { z } from 'zod';
import type { DeepReadonly, ModelUsage as ModelUsageSchema, Recorded, Usage as UsageSchema } from '../recorded.ts';

/** Number of tokens of a call of a model as the provider counted them, with their cost in micro-dollars. */
export type Usage = Recorded<typeof UsageSchema>;

/** Number of calls of models, and their usage in all. `unpriced`: calls that `microUsd` does not contain. */
export type ModelUsage = Recorded<typeof ModelUsageSchema>;

/** The usage of no calls. */
export const noModelUsage: ModelUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** Returns the tokens of prompts and answers together; absent numbers are 0. */
export const tokensOf = (usage: Tokens | undefined): number =>
  (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);

type Tokens = { readonly [Field in 'promptTokens' | 'completionTokens']?: number | undefined };

/** Usage as it is recorded, or as it was read. */
type AnyModelUsage = DeepReadonly<z.output<typeof ModelUsageSchema>>;

/** Returns the usage with one more call. */
export const addModelCall = (before: AnyModelUsage, usage: DeepReadonly<z.output<typeof UsageSchema>>): ModelUsage =>
  addUsage(before, { ...usage, calls: 1, ...(usage.microUsd === undefined ? { unpriced: 1 } : {}) });

/** Returns the sum of two usages. What both lack, such as a price, the sum lacks too. */
export function addUsage(a: AnyModelUsage, b: AnyModelUsage): ModelUsage {
  return {
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    ...sum('cachedTokens', a.cachedTokens, b.cachedTokens),
    ...sum('microUsd', a.microUsd, b.microUsd),
    ...sum('unpriced', a.unpriced, b.unpriced),
  };
}

/** Returns the sum under `key`, or nothing if both are absent. */
const sum = <K extends string>(
  key: K,
  a: number | undefined,
  b: number | undefined,
): { readonly [key in K]?: number } =>
  // A computed key widens to `string`; it is K.
  a === undefined && b === undefined ? {} : ({ [key]: (a ?? 0) + (b ?? 0) } as { readonly [key in K]: number });
