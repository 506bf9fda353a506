import type { UsageLine } from '@millrace/client';
import { csvLine } from '@millrace/core/csv';
import { tokensOf, usageMeasures } from '@millrace/core/usage';
import type { Part } from './usage-search.ts';

/** Amount of a line that a chart shows: money in US dollars, or tokens. */
export type Amount = (line: Pick<UsageLine, 'microUsd' | 'promptTokens' | 'completionTokens'>) => number;

/** One colour of a chart. */
export interface Stack {
  readonly name: string;
  /** Amounts by day. */
  readonly amounts: readonly number[];
}

/** Number of names that have a colour of their own; the others share one. */
const namesShown = 6;

/** Name of the group of a line; lines without a name belong to `others`. */
export const nameOf = (line: UsageLine, by: Part): string => line[by] ?? 'others';

/** Returns the amounts of each day by name, the largest name first and `others` last. */
export function stacksOf(
  lines: readonly UsageLine[],
  { by, days, amountOf }: { readonly by: Part; readonly days: readonly string[]; readonly amountOf: Amount },
): readonly Stack[] {
  const totals = new Map<string, number>();
  for (const line of lines) {
    const name = by === 'day' ? 'all' : nameOf(line, by);
    totals.set(name, (totals.get(name) ?? 0) + amountOf(line));
  }
  const largest = [...totals].filter(([name]) => name !== 'others').sort(([, a], [, b]) => b - a);
  const shown = largest.slice(0, namesShown).map(([name]) => name);
  const places = new Map(days.map((day, at) => [day, at]));
  const amounts = new Map<string, number[]>(shown.map((name) => [name, days.map(() => 0)]));
  for (const line of lines) {
    const name = by === 'day' ? 'all' : nameOf(line, by);
    const stack = shown.includes(name) ? name : 'others';
    const own = amounts.get(stack) ?? days.map(() => 0);
    amounts.set(stack, own);
    const at = places.get(line.day ?? '');
    if (at !== undefined) own[at] = (own[at] ?? 0) + amountOf(line);
  }
  return [...amounts].map(([name, own]) => ({ name, amounts: own }));
}

/** Width that the label of a day needs, in pixels. */
const labelWidth = 64;

/** Returns the days that are labelled below a chart of this width in pixels: each once, evenly apart. */
export function dayTicks(days: readonly string[], width: number): readonly string[] {
  const most = Math.max(1, Math.floor(width / labelWidth));
  const every = Math.ceil(days.length / most);
  return days.filter((_, at) => at % every === 0);
}

const numbers = [
  ['runs', ({ runs }: UsageLine) => String(runs)],
  ['failed', ({ failed }: UsageLine) => String(failed)],
  ['budget_stopped', ({ budgetStopped }: UsageLine) => String(budgetStopped)],
  ['calls', ({ calls }: UsageLine) => String(calls)],
  ['prompt_tokens', ({ promptTokens }: UsageLine) => String(promptTokens)],
  ['cached_tokens', ({ cachedTokens }: UsageLine) => String(cachedTokens)],
  ['cache_write_tokens', ({ cacheWriteTokens }: UsageLine) => String(cacheWriteTokens)],
  ['completion_tokens', ({ completionTokens }: UsageLine) => String(completionTokens)],
  ['reasoning_tokens', ({ reasoningTokens }: UsageLine) => String(reasoningTokens)],
  ['tool_requests', ({ toolRequests }: UsageLine) => String(toolRequests)],
  ['usd', ({ microUsd }: UsageLine) => (microUsd / 1_000_000).toFixed(6)],
  ['saved_usd', ({ savedMicroUsd }: UsageLine) => (savedMicroUsd / 1_000_000).toFixed(6)],
  ['unpriced_calls', ({ unpriced }: UsageLine) => String(unpriced)],
  ['lost_tokens', ({ lostTokens }: UsageLine) => String(lostTokens)],
  ['lost_usd', ({ lostMicroUsd }: UsageLine) => (lostMicroUsd / 1_000_000).toFixed(6)],
] as const;

/** Returns lines as CSV with these parts first. */
export function csvOf(lines: readonly UsageLine[], parts: readonly Part[]): string {
  const head = [...parts, ...numbers.map(([name]) => name)];
  const rows = lines.map((line) => [
    ...parts.map((part) => nameOf(line, part)),
    ...numbers.map(([, text]) => text(line)),
  ]);
  return [head, ...rows].map((cells) => `${csvLine(cells)}\r\n`).join('');
}

const colors = ['--running', '--waiting', '--completed', '--terminated', '--accent', '--failed', '--quiet'] as const;

/** Returns the token of the colour of a stack by its place. */
export const stackColor = (at: number): (typeof colors)[number] => colors[Math.min(at, colors.length - 1)] ?? '--quiet';

/** Returns the sums of lines with the same name, the largest cost first. */
export function sumLines(lines: readonly UsageLine[], nameOf: (line: UsageLine) => string): readonly UsageLine[] {
  const sums = new Map<string, UsageLine>();
  for (const line of lines) {
    const before = sums.get(nameOf(line));
    sums.set(nameOf(line), before === undefined ? line : add(before, line));
  }
  return [...sums.values()].sort((a, b) => b.microUsd - a.microUsd || tokensOf(b) - tokensOf(a) || b.runs - a.runs);
}

const summed = [...usageMeasures, 'runs'] as const;

function add(a: UsageLine, b: UsageLine): UsageLine {
  const sum = { ...a };
  for (const field of summed) sum[field] += b[field];
  return sum;
}
