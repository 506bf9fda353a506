import type { UsageByDay } from '@millrace/runtime';
import { assertScope } from '../operation/call.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { malformed } from '../operation/refusal.ts';
import type { PlacedRow } from './add-up-usage.ts';
import { addUpUsage } from './add-up-usage.ts';
import { UsageQuery, UsageReport } from './usage.ts';

const dayMs = 24 * 60 * 60 * 1000;
/** Days for which stores keep usage. */
const keptDays = 400;
const defaultDays = 30;

export const readUsage = operation({
  name: 'usage.read',
  method: 'GET',
  path: '/v1/usage',
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
  const tenants = following.slice(0, limit);
  return { tenants, nextCursor: following.length > limit ? (tenants.at(-1) ?? null) : null };
}

async function readRows(usage: UsageByDay, tenant: string, days: readonly string[]): Promise<readonly PlacedRow[]> {
  const found = await usage.read(tenant, days);
  return days.flatMap((day, at) => (found[at] ?? []).map((row) => ({ ...row, day, tenant })));
}
