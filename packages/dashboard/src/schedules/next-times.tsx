import { useDeferredValue } from 'react';
import { Problem } from '../kit/states/problem.tsx';
import { formatDuration } from '../kit/values/format.ts';
import { useServerNow } from '../kit/values/time.tsx';
import classes from './schedules.module.css';
import { useNextTimes } from './use-schedules.ts';

/** The next five times of an expression, in its time zone, and the expression in words. */
export function NextTimes({ cron, timezone }: { readonly cron: string; readonly timezone: string }) {
  const { data, error } = useNextTimes(useDeferredValue(cron), useDeferredValue(timezone));
  const now = useServerNow();
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return null;
  const inZone = new Intl.DateTimeFormat(undefined, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
    timeZone: timezone,
    timeZoneName: 'short',
  });
  return (
    <div className={classes['times']}>
      <strong>
        {data.sentence} ({timezone})
      </strong>
      <ol aria-label="Next times">
        {data.times.map((at) => (
          <li key={at}>
            <time dateTime={new Date(at).toISOString()}>{inZone.format(at)}</time>
            <small>in {formatDuration(Math.max(0, at - now))}</small>
          </li>
        ))}
      </ol>
    </div>
  );
}
