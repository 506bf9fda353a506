import type { RunEvent } from '@millrace/client';
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import { formatClock } from '../../kit/values/format.ts';
import { eventsUpTo, isMark } from './place.ts';
import classes from './scrubber.module.css';

interface ScrubberProps {
  readonly events: readonly RunEvent[];
  /** Id of the event that is looked at; absent: the newest one, live. */
  readonly at: string | undefined;
  readonly move: (at: string | undefined) => void;
}

/** A slider over the events of a run: what is above it shows the run as it stood after the chosen event. */
export function Scrubber({ events, at, move }: ScrubberProps) {
  const place = eventsUpTo(events, at);
  const event = events[place - 1];
  if (event === undefined) return null;
  const go = (to: number) => {
    const bounded = Math.max(1, Math.min(events.length, to));
    move(bounded === events.length ? undefined : events[bounded - 1]?.id);
  };
  const text = `event ${place} of ${events.length}, ${event.event.type}, ${formatClock(event.at)}`;
  return (
    <div className={classes['scrubber']}>
      <Step label="First event" icon={ChevronFirst} act={() => go(1)} />
      <Step label="Event before" icon={ChevronLeft} act={() => go(place - 1)} />
      <div className={classes['track']}>
        <Marks events={events} />
        <input
          type="range"
          aria-label="Event of the journal"
          aria-valuetext={text}
          min={1}
          max={events.length}
          value={place}
          onChange={({ target }) => go(Number(target.value))}
        />
      </div>
      <Step label="Event after" icon={ChevronRight} act={() => go(place + 1)} />
      <Step label="Newest event" icon={ChevronLast} act={() => go(events.length)} />
      <output className={at === undefined ? classes['live'] : classes['past']}>
        {at === undefined ? `${events.length} events` : `not live: ${text}`}
      </output>
    </div>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: typeof ChevronLeft;
  readonly act: () => void;
}

const Step = ({ label, icon: Icon, act }: StepProps) => (
  <button type="button" aria-label={label} title={label} onClick={act}>
    <Icon aria-hidden size={16} />
  </button>
);

/** Marks that are drawn; more would be one line. */
const mostMarks = 400;

/** Marks over the slider where something happened that people look for. */
function Marks({ events }: { readonly events: readonly RunEvent[] }) {
  const marks = events.flatMap((event, at) => (isMark(event) ? [{ event, at }] : []));
  return (
    <div className={classes['marks']} aria-hidden>
      {marks.slice(0, mostMarks).map(({ event, at }) => (
        <span
          key={event.id}
          className={classes[event.event.type === 'activation.failed' ? 'failed' : 'mark']}
          style={{ left: `${(100 * at) / Math.max(1, events.length - 1)}%` }}
        />
      ))}
    </div>
  );
}
