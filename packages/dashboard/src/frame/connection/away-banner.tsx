import { WifiOff } from 'lucide-react';
import { attemptNow, nextAttemptAt } from '../../api/reconnect.ts';
import { useStore } from '../../api/store.ts';
import { reachability } from '../../api/transport.ts';
import { useNow } from '../../kit/values/use-now.ts';
import classes from './away-banner.module.css';

/** Notice that the server, or its Redis, does not answer, with the time of the next attempt. Shown data stays. */
export function AwayBanner() {
  const { isReached, lacksRedis = false } = useStore(reachability);
  return isReached ? null : <Banner lacksRedis={lacksRedis} />;
}

function Banner({ lacksRedis }: { readonly lacksRedis: boolean }) {
  const next = useStore(nextAttemptAt);
  const now = useNow();
  const seconds = next === undefined ? 0 : Math.max(0, Math.ceil((next - now) / 1000));
  return (
    <div className={classes['banner']}>
      <WifiOff aria-hidden size={16} />
      <strong role="alert">{lacksRedis ? 'The server does not reach Redis.' : 'The server does not answer.'}</strong>
      <span>
        {seconds === 0 ? 'Trying again …' : `Trying again in ${seconds} s.`} The shown data may be out of date.
      </span>
      <button type="button" className="button" onClick={() => void attemptNow()}>
        Try now
      </button>
    </div>
  );
}
