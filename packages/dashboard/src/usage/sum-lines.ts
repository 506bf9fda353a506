import type { UsageLine } from '@millrace/client';
import { tokensOf } from '@millrace/core/usage';

/** Returns the sums of lines with the same name, the largest cost first. */
export function sumLines(lines: readonly UsageLine[], nameOf: (line: UsageLine) => string): readonly UsageLine[] {
  const sums = new Map<string, UsageLine>();
  for (const line of lines) {
    const before = sums.get(nameOf(line));
    sums.set(nameOf(line), before === undefined ? line : add(before, line));
  }
  return [...sums.values()].sort((a, b) => b.microUsd - a.microUsd || tokensOf(b) - tokensOf(a) || b.runs - a.runs);
}

const add = (a: UsageLine, b: UsageLine): UsageLine => ({
  ...a,
  calls: a.calls + b.calls,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens,
  microUsd: a.microUsd + b.microUsd,
  unpriced: a.unpriced + b.unpriced,
  runs: a.runs + b.runs,
  completed: a.completed + b.completed,
  failed: a.failed + b.failed,
  cancelled: a.cancelled + b.cancelled,
  terminated: a.terminated + b.terminated,
  budgetStopped: a.budgetStopped + b.budgetStopped,
});
