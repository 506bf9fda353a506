import type { UsageLine, UsageReport } from '@millrace/client';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { saveText } from '../kit/values/save-text.ts';
import { csvOf } from './csv.ts';
import { sumLines } from './sum-lines.ts';
import classes from './usage.module.css';
import { UsageByPart } from './usage-by-part.tsx';
import { UsageFacts } from './usage-facts.tsx';
import { UsageFilters } from './usage-filters.tsx';
import { UsageOverview } from './usage-overview.tsx';
import type { UsagePlace } from './usage-place.ts';
import { daysBetween, daysOf } from './usage-place.ts';
import { UsageTable } from './usage-table.tsx';
import { useUsage } from './use-usage.ts';

/** Money, tokens and runs by day: as a chart, and as tables. */
export function UsageScreen() {
  const place = useSearch({ from: '/usage' });
  const navigate = useNavigate();
  const go = useCallback((next: UsagePlace) => void navigate({ to: '/usage', search: next }), [navigate]);
  const by = place.by ?? 'day';
  const total = useUsage(place, by === 'tenant' ? ['day', 'tenant'] : ['day']);
  const split = useUsage(place, ['day', by], by === 'workflow' || by === 'model');
  const { first, last } = daysOf(place, Date.now());
  const days = useMemo(() => daysBetween(first, last), [first, last]);
  const data = by === 'day' || by === 'tenant' ? total.data : split.data;
  const error = total.error ?? split.error;
  const isEmpty = total.data !== undefined && total.data.data.length === 0;
  return (
    <Screen title="Usage" actions={<Save lines={data?.data} by={by} first={first} last={last} />}>
      <UsageFilters place={place} days={{ first, last }} go={go} />
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
      {isEmpty && <NothingUsed isFiltered={place.workflow !== undefined || place.tenant !== undefined} go={go} />}
      {total.data !== undefined && !isEmpty && (
        <>
          <UsageFacts report={total.data} since={first} place={place} />
          {data !== undefined && <UsageOverview lines={data.data} by={by} days={days} show={place.show ?? 'cost'} />}
          {data !== undefined && by !== 'day' && <UsageByPart report={data} by={by} place={place} go={go} />}
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
      <p className={classes['note']}>
        Days are of UTC and kept for 400 days. A call counts on the day when it returned, a run on the day when it
        ended.
      </p>
    </>
  );
}

/** Adds up the lines of each day; the newest day is first. */
const byDay = (lines: readonly UsageLine[]): readonly UsageLine[] =>
  sumLines(lines, ({ day = '' }) => day).toSorted((a, b) => (b.day ?? '').localeCompare(a.day ?? ''));

function NothingUsed({ isFiltered, go }: { readonly isFiltered: boolean; readonly go: (next: UsagePlace) => void }) {
  return (
    <Empty title={isFiltered ? 'No usage matches these filters.' : 'Nothing was used in these days.'}>
      {isFiltered ? (
        <button type="button" className="button" onClick={() => go({})}>
          Clear all filters
        </button>
      ) : (
        <p>
          Calls of models and ends of runs appear here. Start a run: <code>millrace run flow.yaml</code>
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
