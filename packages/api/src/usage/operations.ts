import { tokensOf, usageMeasures } from '@millrace/core';
import type { UsageByDay, UsageRow } from '@millrace/runtime';
import { assertScope } from '../operation/call.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { malformed } from '../operation/refusal.ts';
import { cutPage } from '../schemas/page.ts';
import type { UsageGroup, UsageLine, UsageNumbers } from './usage.ts';
import { UsageQuery, UsageReport } from './usage.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Days for which stores keep usage. */
const keptDays = 400;
const defaultDays = 30;

export const readUsage = operation({
  name: 'usage.read',
  method: 'GET',
  path: '/v1/usage',
  cli: 'usage [--by by] [--since since] [--until until] [--workflow workflow] [--tenant tenant]',
  scope: 'read',
  summary: 'Calls of models with their tokens and cost, and ends of runs, by day, workflow or model',
  query: UsageQuery,
  output: UsageReport,
  async run(context, query) {
    const { by, workflow, model } = query;
    const { first, last } = rangeOf(query, context.now());
    const days: string[] = [];
    for (let at = first; at <= last; at += dayMs) days.push(dayOf(at));
    const { tenants, nextCursor } = await tenantsOf(context, query, dayOf(first));
    const rows: PlacedRow[] = [];
    for (const tenant of tenants) {
      for (const row of await readRows(context.usage, tenant, days)) {
        const isWanted = (workflow ?? row.workflow) === row.workflow && (model ?? row.model) === row.model;
        if (isWanted) rows.push(row);
      }
    }
    const { lines, total } = addUpUsage(rows, by);
    return { body: { since: first, until: last + dayMs, data: [...lines], total, nextCursor } };
  },
});

/** Returns the starts of the first and the last day. Throws RequestError for an empty period. */
function rangeOf({ since, until }: Pick<UsageQuery, 'since' | 'until'>, now: number) {
  const last = startOfDay(until ?? now);
  const oldest = startOfDay(now) - keptDays * dayMs;
  const first = since === undefined ? last - (defaultDays - 1) * dayMs : startOfDay(since);
  if (first > last) throw malformed('querystring', [{ pointer: '/since', detail: 'is after `until`' }]);
  return { first: Math.max(first, oldest), last: Math.min(last, startOfDay(now) + dayMs) };
}

const startOfDay = (at: number): number => at - (at % dayMs);

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

async function tenantsOf(
  context: Context,
  { by, tenant, limit, cursor }: UsageQuery,
  since: string,
): Promise<{ readonly tenants: readonly string[]; readonly nextCursor: string | null }> {
  const own = context.tenant.tenant;
  if (by.includes('tenant') || (tenant !== undefined && tenant !== own)) assertScope(context, 'operator');
  if (!by.includes('tenant') || tenant !== undefined) return { tenants: [tenant ?? own], nextCursor: null };
  const following = (await context.usage.tenants(since)).filter((one) => one > cursor);
  const { page, nextCursor } = cutPage(following, limit, (last) => last);
  return { tenants: page, nextCursor };
}

async function readRows(usage: UsageByDay, tenant: string, days: readonly string[]): Promise<readonly PlacedRow[]> {
  const found = await usage.read(tenant, days);
  return days.flatMap((day, at) => (found[at] ?? []).map((row) => ({ ...row, day, tenant })));
}

/** Row of usage with its day and its tenant. */
interface PlacedRow extends UsageRow {
  readonly day: string;
  readonly tenant: string;
}

/** Maximum number of workflows, and of models, in a report; the others are added up in one. */
const namesShown = 100;

/** Returns the sums of rows by group, and the total. A workflow or model of null contains all that have no line of their own. */
function addUpUsage(
  rows: readonly PlacedRow[],
  by: readonly UsageGroup[],
): { readonly lines: readonly UsageLine[]; readonly total: UsageNumbers } {
  // Runs have no model.
  const counted = by.includes('model')
    ? rows.filter(({ numbers }) => numbers.calls !== undefined || numbers.lostTokens !== undefined)
    : rows;
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

// It has all of these fields.
const noNumbers = () =>
  Object.fromEntries(['runs', ...usageMeasures].map((measure) => [measure, 0])) as Mutable<Required<UsageNumbers>>;

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
