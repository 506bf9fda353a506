import type { UsageLine, UsageReport } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { millrace } from '../api/millrace.ts';
import { useCaller } from '../api/use-caller.ts';
import { ServerCommand } from '../kit/commands/server-command.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { Figure, Figures } from '../kit/values/figures.tsx';
import { formatCount, formatMoney, formatSaved } from '../kit/values/format.ts';
import { saveText } from '../kit/values/save-text.ts';
import { csvOf, nameOf, sumLines } from './stacks.ts';
import classes from './usage.module.css';
import { UsageFilters } from './usage-filters.tsx';
import { UsageOverview, UsageTable } from './usage-report.tsx';
import type { Part, UsageSearch } from './usage-search.ts';
import { daysBetween, daysOf } from './usage-search.ts';

/** Money, tokens and runs by day: as a chart, and as tables. */
export function UsageScreen() {
  const search = useSearch({ from: '/usage' });
  const navigate = useNavigate();
  const go = useCallback((next: UsageSearch) => void navigate({ to: '/usage', search: next }), [navigate]);
  const by = search.by ?? 'day';
  const total = useUsage(search, by === 'tenant' ? ['day', 'tenant'] : ['day']);
  const split = useUsage(search, ['day', by], by === 'workflow' || by === 'model');
  const { first, last } = daysOf(search, Date.now());
  const days = useMemo(() => daysBetween(first, last), [first, last]);
  const data = by === 'day' || by === 'tenant' ? total.data : split.data;
  const error = total.error ?? split.error;
  const isEmpty = total.data !== undefined && total.data.data.length === 0;
  return (
    <Screen title="Usage" actions={<Save lines={data?.data} by={by} first={first} last={last} />}>
      <UsageFilters search={search} days={{ first, last }} go={go} />
      {error !== null && (
        <Problem
          error={error}
          retry={() => {
            void total.refetch();
            void split.refetch();
          }}
        />
      )}
      {total.data === undefined && error === null && <Skeleton rows={8} />}
      {isEmpty && <NothingUsed isFiltered={search.workflow !== undefined || search.tenant !== undefined} go={go} />}
      {total.data !== undefined && !isEmpty && (
        <>
          <UsageFacts report={total.data} since={first} search={search} />
          {data !== undefined && <UsageOverview lines={data.data} by={by} days={days} show={search.show ?? 'cost'} />}
          {data !== undefined && by !== 'day' && <UsageByPart report={data} by={by} search={search} go={go} />}
          <DayTable report={total.data} />
        </>
      )}
    </Screen>
  );
}

/** One row for each day with usage, the newest first. */
function DayTable({ report }: { readonly report: UsageReport }) {
  const lines = useMemo(() => byDay(report.data), [report]);
  return (
    <>
      <h2 className={classes['part']}>By day</h2>
      <UsageTable
        name="Usage by day"
        head="Day (UTC)"
        lines={lines}
        keyOf={({ day = '' }) => day}
        rowName={({ day }) => day}
        total={report.total}
      />
      <p className={`${classes['note']} muted`}>
        Days are of UTC and kept for 400 days. A call counts on the day when it returned, a run on the day when it
        ended.
      </p>
    </>
  );
}

/** Adds up the lines of each day; the newest day is first. */
const byDay = (lines: readonly UsageLine[]): readonly UsageLine[] =>
  sumLines(lines, ({ day = '' }) => day).toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? ''));

function NothingUsed({ isFiltered, go }: { readonly isFiltered: boolean; readonly go: (next: UsageSearch) => void }) {
  return (
    <Empty title={isFiltered ? 'No usage matches these filters.' : 'Nothing was used in these days.'}>
      {isFiltered ? (
        <button type="button" className="button" onClick={() => go({})}>
          Clear all filters
        </button>
      ) : (
        <p>
          Calls of models and ends of runs appear here. Start a run:{' '}
          <ServerCommand>millrace run flow.yaml</ServerCommand>
        </p>
      )}
    </Empty>
  );
}

interface SaveProps {
  readonly lines: readonly UsageLine[] | undefined;
  readonly by: 'day' | 'workflow' | 'model' | 'tenant';
  readonly first: string;
  readonly last: string;
}

/** Saves the data of the chart as a table. */
function Save({ lines = [], by, first, last }: SaveProps) {
  const parts = by === 'day' ? (['day'] as const) : (['day', by] as const);
  return (
    <button
      type="button"
      className="button"
      disabled={lines.length === 0}
      onClick={() => saveText(`usage-${first}-${last}.csv`, csvOf(lines, parts))}
    >
      <Download aria-hidden size={14} /> Download CSV
    </button>
  );
}

const heads = { workflow: 'Workflow', model: 'Model', tenant: 'Tenant' } as const;

interface UsageByPartProps {
  readonly report: UsageReport & { readonly isCut: boolean };
  readonly by: Exclude<Part, 'day'>;
  readonly search: UsageSearch;
  readonly go: (next: UsageSearch) => void;
}

/** Usage of all days by workflow, model or tenant. */
function UsageByPart({ report, by, search: place, go }: UsageByPartProps) {
  const lines = useMemo(() => sumLines(report.data, (line) => nameOf(line, by)), [report, by]);
  return (
    <>
      <h2 className={classes['part']}>By {by}</h2>
      <UsageTable
        name={`Usage by ${by}`}
        head={heads[by]}
        lines={lines}
        keyOf={(line) => nameOf(line, by)}
        rowName={(line) => <Name line={line} by={by} search={place} go={go} />}
        total={report.total}
        hasRuns={by !== 'model'}
      />
      {report.isCut && (
        <p className={`${classes['note']} muted`}>There are more than 1,000 tenants: the others are not shown.</p>
      )}
    </>
  );
}

/** The name of a row; that of a workflow or tenant leads to its days. */
function Name({ line, by, search: place, go }: Omit<UsageByPartProps, 'report'> & { readonly line: UsageLine }) {
  const name = nameOf(line, by);
  if (by === 'model' || line[by] === null || line[by] === undefined) return name;
  const { by: _all, ...rest } = place;
  return (
    <button
      type="button"
      className="link-button strong"
      title={`Only ${name}`}
      onClick={() => go({ ...rest, [by]: name })}
    >
      {name}
    </button>
  );
}

interface UsageFactsProps {
  readonly report: UsageReport;
  readonly since: string;
  readonly search: UsageSearch;
}

/** The sums of a report, and the runs that their budget stopped. */
function UsageFacts({ report, since, search: place }: UsageFactsProps) {
  const { total } = report;
  const own = useCaller().data?.tenant;
  // Runs of other tenants cannot be listed.
  const isOwn = place.tenant === undefined ? place.by !== 'tenant' : place.tenant === own;
  return (
    <div className="spaced">
      <Figures>
        <Figure label="Cost">{formatMoney(total.microUsd)}</Figure>
        {total.savedMicroUsd !== 0 && <Figure label="Saved by caches">{formatSaved(total.savedMicroUsd)}</Figure>}
        {total.unpriced > 0 && <Figure label="Calls without a price">{formatCount(total.unpriced)}</Figure>}
        {total.lostTokens > 0 && (
          <Figure
            label="Lost calls, at most"
            title="Reserved in budgets for calls whose outcome will never be known. Not in the cost."
          >
            {formatMoney(total.lostMicroUsd)} · {formatCount(total.lostTokens)} tokens
          </Figure>
        )}
        <Figure label="Tokens in · out">
          {formatCount(total.promptTokens)} · {formatCount(total.completionTokens)}
        </Figure>
        <Figure label="Calls of models">{formatCount(total.calls)}</Figure>
        <Figure label="Runs ended">{formatCount(total.runs)}</Figure>
        <Figure label="Failed">{formatCount(total.failed)}</Figure>
        <Figure label="Stopped by their budget">
          {formatCount(total.budgetStopped)}{' '}
          {isOwn && total.budgetStopped > 0 && (
            <small>
              <Link to="/runs" search={{ stop: 'budget', since }}>
                show them
              </Link>
            </small>
          )}
        </Figure>
      </Figures>
    </div>
  );
}

/** Reports are read again so often while they are shown, in milliseconds. */
const everyMs = 60_000;

/** Loads the usage of the days of a place, added up by some parts. */
function useUsage(search: UsageSearch, by: readonly Part[], isWanted = true) {
  const { first, last } = daysOf(search, Date.now());
  const { workflow, tenant } = search;
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
