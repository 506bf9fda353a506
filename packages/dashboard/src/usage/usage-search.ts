import type { SearchOf } from '../kit/values/search.ts';
import { oneOf, searchOf, text } from '../kit/values/search.ts';

/** Parts by which the chart is stacked; `day`: not at all. */
export const parts = ['day', 'workflow', 'model', 'tenant'] as const;
/** One of {@link parts}. */
export type Part = (typeof parts)[number];

/** Ranges that are offered, in days. */
export const ranges = { '7d': '7 days', '30d': '30 days', '90d': '90 days', '400d': '400 days' } as const;

const dayMs = 24 * 60 * 60 * 1000;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** State of the screen of the usage, as in its address. */
export const parseUsageSearch = searchOf({
  by: oneOf('workflow', 'model', 'tenant'),
  /** First day, or a number of days up to the last one, such as `30d`. */
  since: (value) => (typeof value === 'string' && (isDay(value) || /^[1-9]\d{0,2}d$/.test(value)) ? value : undefined),
  /** Last day; absent: today. */
  until: (value) => (typeof value === 'string' && isDay(value) ? value : undefined),
  show: oneOf('tokens'),
  workflow: text,
  tenant: text,
});

/** See {@link parseUsageSearch}. */
export type UsageSearch = SearchOf<typeof parseUsageSearch>;

const isDay = (text: string): boolean => day.test(text) && !Number.isNaN(Date.parse(text));

/** Returns the day of a time, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the first and the last day that are shown, in UTC. */
export function daysOf(
  { since = '30d', until }: UsageSearch,
  now: number,
): { readonly first: string; readonly last: string } {
  const last = until ?? dayOf(now);
  if (isDay(since)) return { first: since <= last ? since : last, last };
  return { first: dayOf(Date.parse(last) - (Number.parseInt(since, 10) - 1) * dayMs), last };
}

/** Returns all days from the first to the last one. */
export function daysBetween(first: string, last: string): readonly string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => dayOf(Date.parse(first) + at * dayMs));
}
