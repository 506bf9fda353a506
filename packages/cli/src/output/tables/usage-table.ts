import type { UsageLine, UsageReport } from '@millrace/client';
import { formatDollars } from '@millrace/core/budget';
import { columns } from './columns.ts';

type Numbers = UsageReport['total'];

/** Returns the lines of a report as aligned columns, with their sum as the last one. */
export function usageTable(
  lines: readonly UsageLine[],
  total: Numbers,
  by: 'day' | 'workflow' | 'model' | 'tenant',
): string {
  const hasRuns = by !== 'model';
  const cells = (numbers: Numbers): readonly string[] => [
    ...(hasRuns ? [String(numbers.runs), String(numbers.failed), String(numbers.budgetStopped)] : []),
    String(numbers.calls),
    String(numbers.promptTokens),
    String(numbers.completionTokens),
    `${formatDollars(numbers.microUsd)}${numbers.unpriced === 0 ? '' : ` + ${numbers.unpriced} unpriced`}`,
  ];
  return columns(
    [by.toUpperCase(), ...(hasRuns ? ['RUNS', 'FAILED', 'BUDGET'] : []), 'CALLS', 'INPUT', 'OUTPUT', 'COST'],
    [...lines.map((line) => [line[by] ?? '(others)', ...cells(line)]), ['total', ...cells(total)]],
  );
}
