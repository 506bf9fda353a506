import type { Schedule } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Allowed } from '../kit/commands/allowed.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Stale } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import cards from '../kit/tables/cards.module.css';
import { formatDuration, formatMoment } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { useServerNow } from '../kit/values/time.tsx';
import { useSchedules } from './use-schedules.ts';

/** The schedules, each with its times in words and the next one. */
export function SchedulesScreen() {
  const { data, error, hasNextPage, fetchNextPage, refetch, dataUpdatedAt } = useSchedules();
  const schedules = data?.pages.flatMap((page) => page.data);
  return (
    <Screen
      title="Schedules"
      actions={
        <Allowed scope="run">
          <Link to="/schedules/new" className="button primary">
            <Plus aria-hidden size={14} /> New schedule
          </Link>
        </Allowed>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {schedules !== undefined && <Stale at={dataUpdatedAt} isStale={error !== null} />}
      {schedules === undefined && error === null && <Skeleton rows={5} rowHeight={52} />}
      {schedules?.length === 0 && (
        <Empty title="There is no schedule yet.">
          <p>A schedule starts a run of a workflow at times that recur.</p>
          <code>millrace schedule create nightly WORKFLOW --cron "0 3 * * *"</code>
          <Allowed scope="run">
            <Link to="/schedules/new" className="button">
              New schedule
            </Link>
          </Allowed>
        </Empty>
      )}
      {schedules !== undefined && schedules.length > 0 && (
        <ul className="spaced panel" aria-label="Schedules">
          {schedules.map((schedule) => (
            <ScheduleCard key={schedule.id} schedule={schedule} />
          ))}
        </ul>
      )}
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more schedules
        </button>
      )}
    </Screen>
  );
}

function ScheduleCard({ schedule }: { readonly schedule: Schedule }) {
  const { id, sentence, cron, timezone, description, run, nextAt } = schedule;
  const now = useServerNow();
  const workflow = run['workflow'];
  return (
    <li className={`${cards['card']} stack`}>
      <span className={`${cards['main']} stack`}>
        <Link to="/schedules/$schedule" params={{ schedule: id }} className={`${cards['link']} strong`}>
          {id}
        </Link>
        <small>{description ?? (typeof workflow === 'string' ? workflow : 'a workflow of its own')}</small>
      </span>
      <span className={`${cards['main']} stack`}>
        <span>{sentence}</span>
        <small>
          <code>{cron}</code> {timezone}
        </small>
      </span>
      <span className={`${cards['main']} stack muted`}>
        {nextAt === null ? (
          'no next time'
        ) : (
          <time dateTime={new Date(nextAt).toISOString()} title={formatMoment(nextAt)}>
            in {formatDuration(Math.max(0, nextAt - now))}
          </time>
        )}
      </span>
      <Status of={nextAt === null ? 'paused' : 'active'} />
    </li>
  );
}
