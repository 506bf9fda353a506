import type { ScheduleTick } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import tables from '../kit/layout/table.module.css';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
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
      <table className={tables['table']} aria-label="Last times">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Outcome</th>
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {ticks.map((tick) => (
            <TickRow key={tick.at} tick={tick} />
          ))}
        </tbody>
      </table>
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load earlier times
        </button>
      )}
    </>
  );
}

function TickRow({ tick: { at, outcome, runId, error } }: { readonly tick: ScheduleTick }) {
  return (
    <tr>
      <td>{formatMoment(at)}</td>
      <td>
        <Status of={outcome} />
      </td>
      <td>
        {runId !== undefined && (
          <Link to="/runs/$run" params={{ run: runId }}>
            {outcome === 'skipped' ? `as ${runId} was at work` : runId}
          </Link>
        )}
        {error !== undefined && (
          <>
            <ErrorCode code={error.code} /> {error.message}
          </>
        )}
      </td>
    </tr>
  );
}
