import type { UsageLine } from '@millrace/client';
import { csvCell } from '../kit/values/csv-cell.ts';
import { nameOf } from './stacks.ts';
import type { Part } from './usage-place.ts';

const numbers = [
  ['runs', ({ runs }: UsageLine) => String(runs)],
  ['failed', ({ failed }: UsageLine) => String(failed)],
  ['budget_stopped', ({ budgetStopped }: UsageLine) => String(budgetStopped)],
  ['calls', ({ calls }: UsageLine) => String(calls)],
  ['prompt_tokens', ({ promptTokens }: UsageLine) => String(promptTokens)],
  ['cached_tokens', ({ cachedTokens }: UsageLine) => String(cachedTokens)],
  ['completion_tokens', ({ completionTokens }: UsageLine) => String(completionTokens)],
  ['usd', ({ microUsd }: UsageLine) => (microUsd / 1_000_000).toFixed(6)],
  ['unpriced_calls', ({ unpriced }: UsageLine) => String(unpriced)],
] as const;

/** Returns lines as CSV with these parts first. */
export function csvOf(lines: readonly UsageLine[], parts: readonly Part[]): string {
  const head = [...parts, ...numbers.map(([name]) => name)];
  const rows = lines.map((line) => [
    ...parts.map((part) => csvCell(nameOf(line, part))),
    ...numbers.map(([, text]) => text(line)),
  ]);
  return `${[head, ...rows].map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}
