import type { RunEvent } from '@millrace/client';
import { History } from 'lucide-react';
import { formatClock } from '../../kit/values/format.ts';
import classes from './past-band.module.css';

interface PastBandProps {
  /** The last event that is shown. */
  readonly event: RunEvent | undefined;
  readonly leave: () => void;
}

/** Says that a view shows the past, and leads back to the present. */
export const PastBand = ({ event, leave }: PastBandProps) => (
  <p className={classes['band']} role="status">
    <History aria-hidden size={16} />
    <span>
      {event === undefined ? 'As of an earlier event' : `As of ${formatClock(event.at)}, event ${event.id}`}, not live.
    </span>
    <button type="button" className="button" onClick={leave}>
      Show the present
    </button>
  </p>
);
