import { useStore } from '../../api/store.ts';
import { reachability } from '../../api/transport.ts';
import { useCaller } from '../../api/use-caller.ts';
import { formatDuration } from '../../kit/values/format.ts';
import { useNow } from '../../kit/values/use-now.ts';
import classes from './connection.module.css';

/** Tells whether the server answers and how many workers it has; while it does not, how old what is shown is. */
export function Connection() {
  const { data } = useCaller();
  const { isReached, lastReachedAt } = useStore(reachability);
  const now = useNow();
  if (!isReached) {
    const age = lastReachedAt === 0 ? '' : ` · as of ${formatDuration(now - lastReachedAt)} ago`;
    return (
      <span className={`${classes['connection']} ${classes['away']}`} role="status">
        ◌ reconnecting{age}
      </span>
    );
  }
  if (data === undefined) return null;
  const { workers } = data.server;
  return (
    <span className={classes['connection']} role="status">
      <span aria-hidden className={classes['dot']} /> live
      <span className={classes['workers']}>· {workers === 1 ? '1 worker' : `${workers} workers`}</span>
    </span>
  );
}
