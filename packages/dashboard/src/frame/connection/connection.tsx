import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useStore } from '../../api/store.ts';
import { holdUpdates, isStill, missedEvents, missedRuns } from '../../api/stream/still.ts';
import { isStreaming, onTenantEvents } from '../../api/stream/tenant-events.ts';
import { reachability, signedOut } from '../../api/transport.ts';
import { useCaller } from '../../api/use-caller.ts';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';
import { formatCount, formatDuration } from '../../kit/values/format.ts';
import { useNow } from '../../kit/values/time.tsx';
import classes from './connection.module.css';

/** Shows if the page follows live events, and switches this on or off. */
export function Connection() {
  const still = useStore(isStill);
  const { isReached } = useStore(reachability);
  const streams = useStore(isStreaming);
  const isSignedOut = useStore(signedOut);
  useShortcut('still', () => holdUpdates(!isStill.get()));
  useEffect(countMissedRuns, []);
  const word = still
    ? 'still'
    : isSignedOut
      ? 'signed out'
      : !isReached
        ? 'reconnecting'
        : streams
          ? 'live'
          : 'every 15 s';
  return (
    <>
      <span role="status" className="visually-hidden">
        {word}
      </span>
      <button
        type="button"
        className={`${classes['connection']} muted small nowrap`}
        data-connection={word}
        aria-label={`${word}. ${still ? 'Follow live again' : 'Hold updates'}`}
        title={still ? 'Follow live again (L)' : 'Hold updates (L)'}
        onClick={() => holdUpdates(!still)}
      >
        <span aria-hidden className={classes['sign']}>
          {signs[word]}
        </span>
        {word}
        {still && <Missed />}
        {word === 'reconnecting' && <LastReached />}
      </button>
      <Workers />
    </>
  );
}

const signs = { still: '▮▮', 'signed out': '○', reconnecting: '◌', live: '●', 'every 15 s': '◌' } as const;

/** Number of held events of the shown run, or else of runs. */
function Missed() {
  const { size } = useStore(missedRuns);
  const events = useStore(missedEvents);
  const { run } = useParams({ strict: false });
  const count = run === undefined ? size : events;
  return count === 0 ? null : <span> · {formatCount(count)} new</span>;
}

function LastReached() {
  const { lastReachedAt } = useStore(reachability);
  const now = useNow();
  return lastReachedAt === 0 ? null : (
    <span className={classes['age']}> · as of {formatDuration(now - lastReachedAt)} ago</span>
  );
}

/** Warning if no server executes the started work. */
function Workers() {
  const { data } = useCaller();
  if (data === undefined || data.server.workers > 0) return null;
  return <span className={`${classes['idle']} small nowrap`}>no workers</span>;
}

/** Counts the runs that change while updates are held. */
const countMissedRuns = (): (() => void) =>
  onTenantEvents((events) => {
    if (!isStill.get()) return;
    const runs = events.flatMap((event) => (event.type === 'run' ? [event.run.runId] : []));
    if (runs.length > 0) missedRuns.set(new Set([...missedRuns.get(), ...runs]));
  });
