import type { Usage } from '../../model/price.ts';

/** Model calls, and what they used in all. */
export interface ModelUsage extends Usage {
  readonly calls: number;
  /** How many of them are not in `microUsd`, as the price of their model was not known. */
  readonly unpriced?: number;
}

/** Nothing used yet. */
export const noModelUsage: ModelUsage = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** The same with one more call. */
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

/** Absent as long as there is nothing to add up. */
const sum = <K extends string>(
  key: K,
  a: number | undefined,
  b: number | undefined,
): { readonly [key in K]?: number } =>
  // A computed key widens to `string`; it is K.
  a === undefined && b === undefined ? {} : ({ [key]: (a ?? 0) + (b ?? 0) } as { readonly [key in K]: number });
