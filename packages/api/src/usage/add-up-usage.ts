import { tokensOf } from '@millrace/core';
import type { UsageRow } from '@millrace/runtime';
import type { UsageGroup, UsageLine, UsageNumbers } from './usage.ts';

/** Row of usage with its day and its tenant. */
export interface PlacedRow extends UsageRow {
  readonly day: string;
  readonly tenant: string;
}

/** Maximum number of workflows, and of models, in a report; the others are added up in one. */
const namesShown = 100;

/** Returns the sums of rows by group, and the total. A workflow or model of null contains all that have no line of their own. */
export function addUpUsage(
  rows: readonly PlacedRow[],
  by: readonly UsageGroup[],
): { readonly lines: readonly UsageLine[]; readonly total: UsageNumbers } {
  // Runs have no model.
  const counted = by.includes('model') ? rows.filter(({ numbers: { calls } }) => calls !== undefined) : rows;
  const placeOf = placesBy(counted, by);
  const lines = new Map<string, Mutable<UsageLine>>();
  const total = noNumbers();
  for (const row of counted) {
    const place = placeOf(row);
    const key = JSON.stringify(place);
    const line = lines.get(key) ?? { ...place, ...noNumbers() };
    lines.set(key, line);
    add(line, row);
    add(total, row);
  }
  return { lines: [...lines.values()].sort(byDayAndCost), total };
}

type Place = Pick<UsageLine, UsageGroup>;

/** Returns the function that determines the group of a row. */
function placesBy(rows: readonly PlacedRow[], by: readonly UsageGroup[]): (row: PlacedRow) => Place {
  const workflows = largest(rows, ({ workflow }) => workflow);
  const models = largest(rows, ({ model }) => model);
  const parts = {
    day: ({ day }) => day,
    tenant: ({ tenant }) => tenant,
    workflow: ({ workflow }) => (workflows.has(workflow) ? workflow : null),
    model: ({ model }) => (models.has(model) ? model : null),
  } satisfies Record<UsageGroup, (row: PlacedRow) => string | null>;
  return (row) => Object.fromEntries(by.map((group) => [group, parts[group](row)])); // of the groups of `by`
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const noNumbers = (): Mutable<UsageNumbers> => ({
  calls: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  microUsd: 0,
  unpriced: 0,
  runs: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  terminated: 0,
  budgetStopped: 0,
});

function add(sum: Mutable<UsageNumbers>, { numbers }: UsageRow): void {
  for (const [measure, value] of Object.entries(numbers)) sum[measure as keyof UsageRow['numbers']] += value;
  const { completed = 0, failed = 0, cancelled = 0, terminated = 0 } = numbers;
  sum.runs += completed + failed + cancelled + terminated;
}

const weightOf = (numbers: Partial<UsageNumbers>): number => (numbers.microUsd ?? 0) * 1e6 + tokensOf(numbers);

const byDayAndCost = (a: UsageLine, b: UsageLine): number =>
  (a.day ?? '').localeCompare(b.day ?? '') || weightOf(b) - weightOf(a) || b.runs - a.runs;

/** Returns the names with the most usage; rows that the store has added up have no name. */
function largest(rows: readonly PlacedRow[], nameOf: (row: PlacedRow) => string): ReadonlySet<string> {
  const weights = new Map<string, number>();
  for (const row of rows) weights.set(nameOf(row), (weights.get(nameOf(row)) ?? 0) + weightOf(row.numbers));
  weights.delete('');
  const names = [...weights].sort(([, a], [, b]) => b - a).map(([name]) => name);
  return new Set(names.slice(0, namesShown));
}
