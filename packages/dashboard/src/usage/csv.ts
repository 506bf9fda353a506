import type { UsageLine } from '@millrace/client';
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
    ...parts.map((part) => cell(nameOf(line, part))),
    ...numbers.map(([, text]) => text(line)),
  ]);
  return `${[head, ...rows].map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}

/** Returns a cell as RFC 4180 has it; a spreadsheet does not take it for a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
