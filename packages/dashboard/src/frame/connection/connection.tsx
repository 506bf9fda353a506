import { useQuery } from '@tanstack/react-query';
import { millrace } from '../../api/millrace.ts';
import { formatDuration } from '../../kit/values/format.ts';
import { useNow } from '../../kit/values/use-now.ts';
import classes from './connection.module.css';

const everyMs = 5_000;

/** Tells whether the server answers and how many workers it has; while it does not, how old what is shown is. */
export function Connection() {
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['readiness'],
    queryFn: () => millrace.readiness(),
    refetchInterval: everyMs,
  });
  const now = useNow();
  if (error !== null) {
    const age = dataUpdatedAt === 0 ? '' : ` · as of ${formatDuration(now - dataUpdatedAt)} ago`;
    return (
      <span className={`${classes['connection']} ${classes['away']}`} role="status">
        ◌ server away{age}
      </span>
    );
  }
  if (data === undefined) return null;
  return (
    <span className={classes['connection']} role="status">
      <span aria-hidden className={classes['dot']} /> live
      <span className={classes['workers']}>· {data.workers === 1 ? '1 worker' : `${data.workers} workers`}</span>
    </span>
  );
}
