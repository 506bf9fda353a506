import type { RunEvent } from '@millrace/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { millrace } from '../../api/millrace.ts';
import { formatClock, formatCount } from '../../kit/values/format.ts';
import type { LongJournal, WholeJournal } from '../follow/journal-copy.ts';
import {
  activationStep,
  commitOf,
  endOfCommit,
  eventsUpTo,
  lastSettled,
  placeAfter,
  settlingTypes,
} from '../follow/place.ts';
import { useGraphSearch } from '../follow/use-graph-search.ts';
import { ForkButton } from '../fork/fork-button.tsx';
import { sentenceOf } from '../journal/event-sentence.ts';
import type { Bar } from './density.ts';
import { countedDensity, densityOf } from './density.ts';
import classes from './scrubber.module.css';
import { LoadingScrubber, ScrubberBar } from './scrubber-bar.tsx';

interface LongScrubberProps {
  readonly run: string;
  readonly journal: LongJournal;
}

/** Types of events at which activations begin and settle. */
const activationTypes = ['activation.ready', 'activation.completed', 'activation.failed'];

/** A slider over the commits of a run whose journal is too long to be loaded; its events are requested one by one. */
export function LongScrubber({ run, journal: { event: newest, last: arrived } }: LongScrubberProps) {
  const [{ at, n }, move] = useGraphSearch();
  const last = commitOf(newest);
  const shown = at ?? newest;
  const hasArrived = at === undefined && arrived !== undefined;
  const { data: requested, isPlaceholderData } = useQuery({
    queryKey: ['run', run, 'event', hasArrived ? null : shown],
    queryFn: () => eventFrom(run, placeAfter(shown), -1),
    placeholderData: keepPreviousData,
    staleTime: 'static',
    enabled: !hasArrived,
  });
  const event = hasArrived ? arrived : requested;
  const { data: forked } = useQuery({
    queryKey: ['run', run, 'settled before', shown],
    queryFn: () => eventFrom(run, placeAfter(shown), -1, settlingTypes),
    staleTime: 'static',
    enabled: at !== undefined && n === undefined,
  });
  const { data: density } = useQuery({
    queryKey: ['run', run, 'density'],
    queryFn: ({ signal }) => millrace.runs.get(run).density({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const bars = useMemo(() => (density === undefined ? [] : countedDensity(density)), [density]);
  if (event == null) return <LoadingScrubber />;
  const go = (commit: number) => move({ at: commit >= last ? undefined : endOfCommit(commit) });
  const step = async (by: 1 | -1, isFar: boolean) => {
    // The event of the place may still be loading; the next event does not depend on it.
    if (!hasArrived && isPlaceholderData && by < 0) return;
    const next = await eventFrom(run, by > 0 ? shown : event.id, by, isFar ? activationTypes : undefined);
    if (next !== null) move({ at: next.id });
    else move({ at: by > 0 ? undefined : '1-0' });
  };
  const commit = Math.min(commitOf(shown), last);
  return (
    <ScrubberBar
      value={commit}
      max={last}
      go={go}
      steps={{
        first: () => move({ at: '1-0' }),
        newest: () => move({ at: undefined }),
        by: (by, isFar) => void step(by, isFar),
      }}
      text={`Commit ${formatCount(commit)} of ${formatCount(last)}, ${formatClock(event.at)}: ${sentenceOf(event)}`}
      id={event.id}
      overview={
        density !== undefined && <DensityBars bars={bars} across={last / density.commits} upTo={commit / last} />
      }
      past={at === undefined ? undefined : `as of ${formatClock(event.at)}, not live`}
    >
      {forked != null && 'activation' in forked.event && (
        <ForkButton key={forked.id} run={run} activation={forked.event.activation} />
      )}
    </ScrubberBar>
  );
}

/** Returns the first event after a place, or the last one before it, of some types; null if there is none. */
async function eventFrom(run: string, place: string, by: 1 | -1, types?: readonly string[]): Promise<RunEvent | null> {
  const filter = {
    order: by > 0 ? 'oldest' : 'newest',
    limit: 1,
    ...(types === undefined ? {} : { type: [...types] }),
  } as const;
  const pages = millrace.runs.get(run).searchEvents(filter);
  // A page without events is not always the last.
  for (let from: string | null = place; from !== null; ) {
    const { data, nextCursor } = await pages.page(from);
    if (data[0] !== undefined) return data[0];
    from = nextCursor;
  }
  return null;
}

/** Bars of the overview. */
const mostBars = 240;

/** A slider over the events of a run: the content above it shows the run after the selected event. */
export function Scrubber({ run, journal: { events } }: { readonly run: string; readonly journal: WholeJournal }) {
  const [{ at, n }, move] = useGraphSearch();
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
      text={`Event ${formatCount(place)} of ${formatCount(events.length)}, ${formatClock(event.at)}: ${sentenceOf(event)}`}
      id={event.id}
      overview={<DensityBars bars={bars} upTo={place / events.length} />}
      past={at === undefined ? undefined : `as of ${formatClock(event.at)}, not live`}
    >
      {forked !== undefined && <ForkButton key={forked} run={run} activation={forked} />}
    </ScrubberBar>
  );
}

interface DensityBarsProps {
  readonly bars: readonly Bar[];
  /** Number of bars that are as wide as the slider; the last one may be a part of a bar. */
  readonly across?: number;
  /** Part of the journal that is selected, from 0 to 1. */
  readonly upTo: number;
}

/** Rate of events over time, with marks for failures, questions and the like. */
function DensityBars({ bars, across = bars.length, upTo }: DensityBarsProps) {
  const width = 100 / Math.max(1, across);
  // A short journal is a row of ticks, not of blocks.
  const drawn = Math.min(width * 0.8, 0.6);
  return (
    <svg className={classes['density']} viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden>
      {bars.map(({ height, mark }, at) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars are places in time
          key={at}
          x={at * width + (width - drawn) / 2}
          width={drawn}
          y={mark === undefined ? 24 - 4 - 14 * height : 24 - 4 - Math.max(8, 18 * height)}
          height={mark === undefined ? 4 + 14 * height : 4 + Math.max(8, 18 * height)}
          data-mark={mark}
          data-past={at / across < upTo}
        />
      ))}
    </svg>
  );
}
