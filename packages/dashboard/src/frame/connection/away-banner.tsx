import { WifiOff } from 'lucide-react';
import { attemptNow, nextAttemptAt } from '../../api/reconnect.ts';
import { useStore } from '../../api/store.ts';
import { reachability } from '../../api/transport.ts';
import { useNow } from '../../kit/values/use-now.ts';
import classes from './away-banner.module.css';

/** Notice that the server does not answer, with the time of the next attempt. Shown data stays. */
export function AwayBanner() {
  const { isReached } = useStore(reachability);
  return isReached ? null : <Banner />;
}

function Banner() {
  const next = useStore(nextAttemptAt);
  const now = useNow();
  const seconds = next === undefined ? 0 : Math.max(0, Math.ceil((next - now) / 1000));
  return (
    <div className={classes['banner']}>
      <WifiOff aria-hidden size={16} />
      <strong role="alert">The server does not answer.</strong>
      <span>
        {seconds === 0 ? 'Asking again …' : `Asking again in ${seconds} s.`} What you see is what it said last.
      </span>
      <button type="button" className="button" onClick={() => void attemptNow()}>
        Try now
      </button>
    </div>
  );
}
