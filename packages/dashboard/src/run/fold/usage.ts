/** Usage of calls of models. */
export interface Usage {
  readonly calls: number;
  readonly promptTokens: number;
  readonly cachedTokens?: number | undefined;
  readonly completionTokens: number;
  /** Absent: no price is known. */
  readonly microUsd?: number | undefined;
  /** Calls without a known price. */
  readonly unpriced?: number | undefined;
}

/** The usage of no calls. */
export const noUsage: Usage = { calls: 0, promptTokens: 0, completionTokens: 0 };

/** Returns a usage with one more call. */
export function withCall(before: Usage, call: Omit<Usage, 'calls' | 'unpriced'>): Usage {
  const { cachedTokens, microUsd, unpriced } = before;
  const sum = (one: number | undefined, other: number | undefined) =>
    one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);
  const sums = {
    cachedTokens: sum(cachedTokens, call.cachedTokens),
    microUsd: sum(microUsd, call.microUsd),
    unpriced: sum(unpriced, call.microUsd === undefined ? 1 : undefined),
  };
  return {
    calls: before.calls + 1,
    promptTokens: before.promptTokens + call.promptTokens,
    completionTokens: before.completionTokens + call.completionTokens,
    ...Object.fromEntries(Object.entries(sums).filter(([, value]) => value !== undefined)),
  };
}

/** Returns the number of tokens of calls. */
export const tokensOf = ({
  promptTokens,
  completionTokens,
}: Pick<Usage, 'promptTokens' | 'completionTokens'>): number => promptTokens + completionTokens;
