import { useMemo } from 'react';
import { formatClock, formatCount } from '../../kit/values/format.ts';
import type { WholeJournal } from '../follow/journal-copy.ts';
import { ForkButton } from '../fork/fork-button.tsx';
import { usePlace } from '../graph/use-place.ts';
import { densityOf } from './density.ts';
import { DensityBars } from './density-bars.tsx';
import { wordsOf } from './event-words.ts';
import { activationStep, eventsUpTo, lastSettled } from './place.ts';
import { ScrubberBar } from './scrubber-bar.tsx';

/** Bars of the overview. */
const mostBars = 240;

/** A slider over the events of a run: the content above it shows the run after the selected event. */
export function Scrubber({ run, journal: { events } }: { readonly run: string; readonly journal: WholeJournal }) {
  const [{ at, n }, move] = usePlace();
  const place = eventsUpTo(events, at);
  const bars = useMemo(() => densityOf(events, mostBars), [events]);
  const go = (to: number) => {
    const bounded = Math.max(1, Math.min(events.length, to));
    move({ at: bounded === events.length ? undefined : events[bounded - 1]?.id });
  };
  const event = events[place - 1];
  if (event === undefined) return null;
  // The panel of a node has its own button.
  const forked = n === undefined && at !== undefined ? lastSettled(events, place) : undefined;
  return (
    <ScrubberBar
      value={place}
      max={events.length}
      go={go}
      steps={{
        first: () => go(1),
        newest: () => move({ at: undefined }),
        by: (step, isFar) => go(isFar ? activationStep(events, place, step) : place + step),
      }}
      text={`event ${event.id}, ${formatCount(place)} of ${formatCount(events.length)}, ${wordsOf(event)}, ${formatClock(event.at)}`}
      overview={<DensityBars bars={bars} upTo={place / events.length} />}
      past={at === undefined ? undefined : `as of ${formatClock(event.at)}, not live`}
    >
      {forked !== undefined && <ForkButton key={forked} run={run} activation={forked} />}
    </ScrubberBar>
  );
}
