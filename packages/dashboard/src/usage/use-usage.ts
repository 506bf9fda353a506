import type { UsageLine, UsageReport } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { millrace } from '../api/millrace.ts';
import { sumLines } from './sum-lines.ts';
import type { Part, UsagePlace } from './usage-place.ts';
import { daysOf } from './usage-place.ts';

/** Reports are read again so often while they are shown, in milliseconds. */
const everyMs = 60_000;

/** Loads the usage of the days of a place, added up by some parts. */
export function useUsage(place: UsagePlace, by: readonly Part[], isWanted = true) {
  const { first, last } = daysOf(place, Date.now());
  const { workflow, tenant } = place;
  const query = {
    by: [...by],
    since: first,
    until: last,
    ...(workflow === undefined ? {} : { workflow }),
    ...(tenant === undefined ? {} : { tenant }),
  };
  return useQuery({
    queryKey: ['usage', query],
    queryFn: () => readAll(query),
    placeholderData: keepPreviousData,
    refetchInterval: everyMs,
    enabled: isWanted,
  });
}

type Query = NonNullable<Parameters<typeof millrace.usage>[0]>;

/** Pages of tenants that are read. */
const mostPages = 5;

/** Reads the pages of a report; only one by tenant has several. */
async function readAll(query: Query): Promise<UsageReport & { readonly isCut: boolean }> {
  const first = await millrace.usage({ ...query, limit: 200 });
  const data: UsageLine[] = [...first.data];
  let cursor = first.nextCursor;
  for (let page = 1; cursor !== null && page < mostPages; page++) {
    const next = await millrace.usage({ ...query, limit: 200, cursor });
    for (const line of next.data) data.push(line);
    cursor = next.nextCursor;
  }
  const [total = first.total] = first.nextCursor === null ? [] : sumLines(data, () => '');
  return { ...first, data, total, isCut: cursor !== null };
}
