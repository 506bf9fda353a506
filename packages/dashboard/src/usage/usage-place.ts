/** Parts by which the chart is stacked; `day`: not at all. */
export const parts = ['day', 'workflow', 'model', 'tenant'] as const;
/** One of {@link parts}. */
export type Part = (typeof parts)[number];

/** State of the screen of the usage, as in its address. */
export interface UsagePlace {
  readonly by?: Exclude<Part, 'day'>;
  /** First day, or a number of days up to the last one, such as `30d`. */
  readonly since?: string;
  /** Last day; absent: today. */
  readonly until?: string;
  readonly show?: 'tokens';
  readonly workflow?: string;
  readonly tenant?: string;
}

/** Ranges that are offered, in days. */
export const ranges = { '7d': '7 days', '30d': '30 days', '90d': '90 days', '400d': '400 days' } as const;

const dayMs = 24 * 60 * 60 * 1000;
const day = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the place in the query of an address; malformed parts are ignored. */
export function parseUsagePlace(search: Readonly<Record<string, unknown>>): UsagePlace {
  const { by, since, until, show, workflow, tenant } = search;
  const text = (name: 'workflow' | 'tenant', value: unknown) =>
    typeof value === 'string' && value !== '' ? { [name]: value } : {};
  return {
    ...(parts.some((one) => one === by) && by !== 'day' ? { by: by as Exclude<Part, 'day'> } : {}), // it is one of them
    ...(typeof since === 'string' && (isDay(since) || /^[1-9]\d{0,2}d$/.test(since)) ? { since } : {}),
    ...(typeof until === 'string' && isDay(until) ? { until } : {}),
    ...(show === 'tokens' ? { show } : {}),
    ...text('workflow', workflow),
    ...text('tenant', tenant),
  };
}

const isDay = (text: string): boolean => day.test(text) && !Number.isNaN(Date.parse(text));

/** Returns the day of a time, in UTC. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the first and the last day that are shown, in UTC. */
export function daysOf(
  { since = '30d', until }: UsagePlace,
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
