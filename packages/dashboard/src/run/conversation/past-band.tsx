import { History } from 'lucide-react';
import { formatClock } from '../../kit/values/format.ts';
import { useRunPast } from '../follow/use-run-past.ts';
import classes from './past-band.module.css';

interface PastBandProps {
  readonly run: string;
  /** Id of the last event that is shown. */
  readonly at: string;
  readonly leave: () => void;
}

/** Notice that a view shows the past, with a link to the present. */
export function PastBand({ run, at, leave }: PastBandProps) {
  const past = useRunPast(run, at);
  return (
    <p className={`${classes['band']} note ink row wrap`} data-tone="waiting" role="status">
      <History aria-hidden size={16} />
      <span className="grow" title={`Id in the journal: ${at}`}>
        As of {past === undefined ? 'an earlier event' : formatClock(past.at)}, not live.
      </span>
      <button type="button" className="button" onClick={leave}>
        Show the present
      </button>
    </p>
  );
}
