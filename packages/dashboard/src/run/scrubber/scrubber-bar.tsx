import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';
import classes from './scrubber.module.css';

/** Ways through the journal by buttons and keys. `isFar`: to the next activation instead of the next event. */
export interface Steps {
  readonly first: () => void;
  readonly newest: () => void;
  readonly by: (step: 1 | -1, isFar: boolean) => void;
}

interface ScrubberBarProps {
  /** Place of the slider, from 1. */
  readonly value: number;
  readonly max: number;
  readonly go: (value: number) => void;
  readonly steps: Steps;
  /** The selected event, in words. */
  readonly text: string;
  /** Its id in the journal. */
  readonly id: string;
  /** Overview behind the slider. */
  readonly overview?: ReactNode;
  /** Time of the picture as a sentence; absent: it is live. */
  readonly past?: string | undefined;
  /** Actions on the selected event. */
  readonly children?: ReactNode;
}

/** A slider over a journal with buttons at both sides, and the selected event. */
export function ScrubberBar({ value, max, go, steps, text, id, overview, past, children }: ScrubberBarProps) {
  const { first, newest, by } = steps;
  useShortcut('previousEvent', () => by(-1, false));
  useShortcut('nextEvent', () => by(1, false));
  useShortcut('firstEvent', first);
  useShortcut('newestEvent', newest);
  return (
    <section className={`${classes['scrubber']} panel stack`} aria-label="Time" data-past={past !== undefined}>
      <Step label="First event" keys="{" icon={ChevronFirst} act={first} />
      <Step label="Event before" keys="[" icon={ChevronLeft} act={(isFar) => by(-1, isFar)} />
      <div className={classes['track']}>
        {overview}
        <input
          type="range"
          aria-label="Event of the journal"
          aria-valuetext={text}
          min={1}
          max={max}
          value={value}
          onChange={({ target }) => go(Number(target.value))}
          onKeyDown={(pressed) => {
            const step = { ArrowLeft: -1, ArrowRight: 1 }[pressed.key] as 1 | -1 | undefined;
            if (!pressed.shiftKey || step === undefined) return;
            pressed.preventDefault();
            by(step, true);
          }}
        />
      </div>
      <Step label="Event after" keys="]" icon={ChevronRight} act={(isFar) => by(1, isFar)} />
      <Step label="Newest event" keys="}" icon={ChevronLast} act={newest} />
      {past === undefined ? (
        <p className={`${classes['now']} row muted small`}>
          <span className="cut" title={`${text} (${id})`}>
            {text}
          </span>
        </p>
      ) : (
        <p className={`${classes['now']} row wrap muted small`}>
          <strong>{past}</strong>
          <span className="cut" title={`${text} (${id})`}>
            {text}
          </span>
          {children}
          <button type="button" className="button" onClick={newest}>
            Back to live
          </button>
        </p>
      )}
    </section>
  );
}

/** The place of the slider while the journal is loaded. */
export const LoadingScrubber = () => (
  <p className={`${classes['loading']} panel center muted`} role="status">
    Loading the journal…
  </p>
);

interface StepProps {
  readonly label: string;
  readonly keys: string;
  readonly icon: typeof ChevronLeft;
  readonly act: (isFar: boolean) => void;
}

const Step = ({ label, keys, icon: Icon, act }: StepProps) => (
  <button
    type="button"
    className="icon-button muted"
    aria-label={label}
    title={`${label} (${keys})`}
    onClick={({ shiftKey }) => act(shiftKey)}
  >
    <Icon aria-hidden size={16} />
  </button>
);
