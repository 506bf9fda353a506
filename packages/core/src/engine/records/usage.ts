import type { Usage } from '../../model/usage/price.ts';

/** Number of model calls, and their usage in all. */
export interface ModelUsage extends Usage {
  readonly calls: number;
  /** Number of calls that `microUsd` does not contain, because the price of their model is unknown. */
  readonly unpriced?: number;
}

/** The usage of no calls. */
export const noModelUsage: ModelUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** Returns the usage with one more call. */
export function addModelCall(before: ModelUsage, usage: Usage): ModelUsage {
  const { cachedTokens, microUsd, unpriced } = before;
  const isPriced = usage.microUsd !== undefined;
  return {
    calls: before.calls + 1,
    promptTokens: before.promptTokens + usage.promptTokens,
    completionTokens: before.completionTokens + usage.completionTokens,
    ...sum('cachedTokens', cachedTokens, usage.cachedTokens),
    ...sum('microUsd', microUsd, usage.microUsd),
    ...sum('unpriced', unpriced, isPriced ? undefined : 1),
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
