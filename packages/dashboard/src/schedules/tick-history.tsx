import type { ScheduleTick } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { ErrorCode } from '../kit/values/error-code.tsx';
import { formatMoment } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import classes from './schedules.module.css';
import { useTicks } from './use-schedules.ts';

/** Outcomes of the last times of a schedule: as ticks, oldest first, and as a table. */
export function TickHistory({ id }: { readonly id: string }) {
  const { data, error, hasNextPage, fetchNextPage } = useTicks(id);
  const ticks = data?.pages.flatMap((page) => page.data);
  if (error !== null && ticks === undefined) return <Problem error={error} />;
  if (ticks === undefined) return <Skeleton rows={4} />;
  if (ticks.length === 0) return <p>This schedule has had no scheduled time yet.</p>;
  return (
    <>
      <div className={classes['strip']} aria-hidden>
        {ticks.toReversed().map(({ at, outcome }) => (
          <span key={at} className={classes[outcome]} title={`${formatMoment(at)}: ${outcome}`} />
        ))}
      </div>
      <DataTable
        label="Last times"
        rows={ticks}
        idOf={({ at }) => String(at)}
        columns={[
          { title: 'Time', cell: ({ at }) => <span className={classes['time']}>{formatMoment(at)}</span> },
          { title: 'Outcome', cell: ({ outcome }) => <Status of={outcome} /> },
          { title: 'Run', cell: (tick) => <TickRun tick={tick} /> },
        ]}
      />
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load earlier times
        </button>
      )}
    </>
  );
}

function TickRun({ tick: { outcome, runId, error } }: { readonly tick: ScheduleTick }) {
  return (
    <>
      {runId !== undefined && (
        <Link to="/runs/$run" params={{ run: runId }}>
          {outcome === 'skipped' ? `as ${runId} was active` : runId}
        </Link>
      )}
      {error !== undefined && (
        <>
          <ErrorCode code={error.code} /> {error.message}
        </>
      )}
    </>
  );
}
