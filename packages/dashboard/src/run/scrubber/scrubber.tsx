import type { RunEvent } from '@millrace/client';
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import { useMemo } from 'react';
import { useShortcut } from '../../kit/shortcuts/use-shortcut.ts';
import { formatClock, formatCount } from '../../kit/values/format.ts';
import type { Journal } from '../follow/run-log.ts';
import { ForkButton } from '../fork/fork-button.tsx';
import { usePlace } from '../graph/use-place.ts';
import type { Bar } from './density.ts';
import { densityOf } from './density.ts';
import { activationStep, eventsUpTo, lastSettled } from './place.ts';
import classes from './scrubber.module.css';

/** Bars of the overview. */
const mostBars = 240;

/** A slider over the events of a run: what is above it shows the run as it stood after the chosen event. */
export function Scrubber({ run, journal }: { readonly run: string; readonly journal: Journal }) {
  const { events, isWhole } = journal;
  const [{ at, n }, move] = usePlace();
  const place = eventsUpTo(events, at);
  const bars = useMemo(() => densityOf(events, mostBars), [events]);
  const go = (to: number) => {
    const bounded = Math.max(1, Math.min(events.length, to));
    move({ at: bounded === events.length && isWhole ? undefined : events[bounded - 1]?.id });
  };
  useShortcut('previousEvent', () => go(place - 1));
  useShortcut('nextEvent', () => go(place + 1));
  useShortcut('firstEvent', () => go(1));
  useShortcut('newestEvent', () => move({ at: undefined }));
  const event = events[place - 1];
  if (event === undefined) return null;
  // The panel of a node has a button of its own.
  const forked = n === undefined && at !== undefined ? lastSettled(events, place) : undefined;
  const text = `event ${formatCount(place)} of ${formatCount(events.length)}, ${wordsOf(event)}, ${formatClock(event.at)}`;
  return (
    <section className={classes['scrubber']} aria-label="Time" data-past={at !== undefined}>
      <Step label="First event" keys="{" icon={ChevronFirst} act={() => go(1)} />
      <Step
        label="Event before"
        keys="["
        icon={ChevronLeft}
        act={(isFar) => go(isFar ? activationStep(events, place, -1) : place - 1)}
      />
      <div className={classes['track']}>
        <Density bars={bars} upTo={place / events.length} />
        <input
          type="range"
          aria-label="Event of the journal"
          aria-valuetext={text}
          min={1}
          max={events.length}
          value={place}
          onChange={({ target }) => go(Number(target.value))}
          onKeyDown={(pressed) => {
            const step = { ArrowLeft: -1, ArrowRight: 1 }[pressed.key] as 1 | -1 | undefined;
            if (!pressed.shiftKey || step === undefined) return;
            pressed.preventDefault();
            go(activationStep(events, place, step));
          }}
        />
      </div>
      <Step
        label="Event after"
        keys="]"
        icon={ChevronRight}
        act={(isFar) => go(isFar ? activationStep(events, place, 1) : place + 1)}
      />
      <Step label="Newest event" keys="}" icon={ChevronLast} act={() => move({ at: undefined })} />
      {at === undefined ? (
        <p className={classes['now']}>
          <span>{text}</span>
          {!isWhole && <span> · only the first {formatCount(events.length)} events are shown in time</span>}
        </p>
      ) : (
        <p className={classes['past']}>
          <strong>as of {formatClock(event.at)}, not live</strong>
          <span>
            event {event.id} · {formatCount(place)} of {formatCount(events.length)} · {wordsOf(event)}
          </span>
          {forked !== undefined && <ForkButton key={forked} run={run} activation={forked} />}
          <button type="button" className="button" onClick={() => move({ at: undefined })}>
            Back to live
          </button>
        </p>
      )}
    </section>
  );
}

/** The place of the slider while the journal is loaded. */
export const LoadingScrubber = () => (
  <p className={classes['loading']} role="status">
    Loading the journal…
  </p>
);

/** Returns an event in a few words: its type, and where it happened. */
function wordsOf({ event }: RunEvent): string {
  const { type, nodeId, activation, iteration } = event as { type: string } & Readonly<Record<string, unknown>>;
  const where = typeof nodeId === 'string' && nodeId !== '' ? nodeId : activation;
  const turn = typeof iteration === 'number' ? `turn ${iteration}` : undefined;
  const words = [where, turn].filter((word) => word !== undefined).join(', ');
  return words === '' ? type : `${type} (${words})`;
}

interface StepProps {
  readonly label: string;
  readonly keys: string;
  readonly icon: typeof ChevronLeft;
  /** Far: to the next activation instead of the next event. */
  readonly act: (isFar: boolean) => void;
}

const Step = ({ label, keys, icon: Icon, act }: StepProps) => (
  <button type="button" aria-label={label} title={`${label} (${keys})`} onClick={({ shiftKey }) => act(shiftKey)}>
    <Icon aria-hidden size={16} />
  </button>
);

interface DensityProps {
  readonly bars: readonly Bar[];
  /** Part of the journal that is looked at, from 0 to 1. */
  readonly upTo: number;
}

/** How fast events followed each other, with marks where something happened that people look for. */
function Density({ bars, upTo }: DensityProps) {
  const width = 100 / Math.max(1, bars.length);
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
          data-past={at / bars.length < upTo}
        />
      ))}
    </svg>
  );
}
