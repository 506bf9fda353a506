import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from 'lucide-react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Span, TimelineRow } from '../../activations/timeline-row.ts';
import { endOf } from '../../activations/timeline-row.ts';
import { formatDuration, formatInstant } from '../../kit/values/format.ts';
import classes from './overview.module.css';
import { panned, windowKeys, zoomed } from './timeline-window.ts';

interface OverviewProps {
  readonly rows: readonly TimelineRow[];
  readonly whole: Span;
  readonly window: Span;
  readonly isPinned: boolean;
  readonly now: number;
  /** Sets the window; undefined: it follows the visible lines. */
  readonly pin: (window: Span | undefined) => void;
}

const bars = 240;

/** Activity of the whole run, with the window of the bars below: dragged over, moved by keys, or by the buttons. */
export function Overview({ rows, whole, window, isPinned, now, pin }: OverviewProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const density = useMemo(() => densityOf(rows, whole, { parts: bars, now }), [rows, whole, now]);
  const [drag, setDrag] = useState<Span>();
  const shown = drag ?? window;
  const theme = document.documentElement.dataset['theme'];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    if (canvas.current !== null) drawOverview(canvas.current, density);
  }, [density, theme]);
  const share = (at: number): number => Math.max(0, Math.min(1, (at - whole.from) / (whole.to - whole.from)));
  const timeAt = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return whole.from + Math.max(0, Math.min(1, (clientX - left) / width)) * (whole.to - whole.from);
  };
  const begun = useRef<number>(undefined);
  const finish = () => {
    if (drag !== undefined && drag.to - drag.from > (whole.to - whole.from) / 200) pin(drag);
    begun.current = undefined;
    setDrag(undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const move = windowKeys[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    pin(move(window, whole));
  };
  return (
    <div className={classes['overview']}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset takes no focus */}
      <div
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrows move the window
        tabIndex={0}
        className={`${classes['field']} panel`}
        aria-label="Overview of the run. Arrow keys move the window of time, plus and minus zoom, 0 follows the visible rows."
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          begun.current = timeAt(event);
        }}
        onPointerMove={(event) => {
          if (begun.current === undefined) return;
          const at = timeAt(event);
          setDrag({ from: Math.min(begun.current, at), to: Math.max(begun.current, at) });
        }}
        onPointerUp={finish}
        onPointerCancel={finish}
      >
        <canvas ref={canvas} width={bars * 4} height={72} aria-hidden />
        <span
          className={`${classes['window']} ${isPinned ? classes['pinned'] : ''}`}
          style={{
            left: `${share(shown.from) * 100}%`,
            width: `max(3px, ${(share(shown.to) - share(shown.from)) * 100}%)`,
          }}
        />
      </div>
      <div className={`${classes['controls']} row wrap muted`}>
        <output aria-label="Window of time">
          {formatInstant(shown.from)} – {formatInstant(shown.to)} · {formatDuration(shown.to - shown.from)}
        </output>
        <Step label="Earlier" icon={ChevronLeft} act={() => pin(panned(window, -0.5, whole))} />
        <Step label="Later" icon={ChevronRight} act={() => pin(panned(window, 0.5, whole))} />
        <Step label="Zoom in" icon={ZoomIn} act={() => pin(zoomed(window, 0.5, whole))} />
        <Step label="Zoom out" icon={ZoomOut} act={() => pin(zoomed(window, 2, whole))} />
        <button type="button" className="button" aria-pressed={!isPinned} onClick={() => pin(undefined)}>
          Fit visible
        </button>
        <button type="button" className="button" onClick={() => pin(whole)}>
          Fit all
        </button>
      </div>
    </div>
  );
}

interface StepProps {
  readonly label: string;
  readonly icon: typeof ChevronLeft;
  readonly act: () => void;
}

const Step = ({ label, icon: Icon, act }: StepProps) => (
  <button type="button" className={`${classes['step']} icon-button`} aria-label={label} title={label} onClick={act}>
    <Icon aria-hidden size={16} />
  </button>
);

/** Height of the marks of failures, in pixels of the canvas. */
const markHeight = 10;

/** Draws the activity of a run as columns, and its failures as triangles above them. */
function drawOverview(canvas: HTMLCanvasElement, { live, failed }: Density): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { width, height } = canvas;
  const colours = getComputedStyle(document.documentElement);
  const column = width / live.length;
  let most = 1;
  for (const count of live) most = Math.max(most, count);
  context.clearRect(0, 0, width, height);
  context.fillStyle = colours.getPropertyValue('--line-strong');
  // The square root keeps one activation in view beside a thousand.
  for (const [at, count] of live.entries()) {
    const top = Math.sqrt(count / most) * (height - markHeight);
    context.fillRect(at * column, height - top, Math.max(1, column - 1), top);
  }
  context.fillStyle = colours.getPropertyValue('--failed');
  for (const [at, count] of failed.entries()) {
    if (count === 0) continue;
    const middle = (at + 0.5) * column;
    context.beginPath();
    context.moveTo(middle - 6, 0);
    context.lineTo(middle + 6, 0);
    context.lineTo(middle, markHeight);
    context.fill();
  }
}

/** Activity of a run in equal parts of its time. */
interface Density {
  /** Activations under way in each part. */
  readonly live: Uint32Array;
  /** Failures in each part. */
  readonly failed: Uint32Array;
}

/** Counts the activations under way, and the failures, in each of `parts` equal parts of a time. */
export function densityOf(
  rows: readonly TimelineRow[],
  span: Span,
  { parts, now }: { readonly parts: number; readonly now: number },
): Density {
  // Differences at both ends of each row, summed up once: the cost does not depend on how long rows are.
  const steps = new Int32Array(parts + 1);
  const failed = new Uint32Array(parts);
  const scale = parts / (span.to - span.from);
  const partOf = (at: number): number => Math.max(0, Math.min(parts - 1, Math.floor((at - span.from) * scale)));
  for (const row of rows) {
    const last = partOf(endOf(row, now));
    const first = partOf(row.readyAt);
    steps[first] = (steps[first] ?? 0) + 1;
    steps[last + 1] = (steps[last + 1] ?? 0) - 1;
    if (row.state === 'failed') failed[last] = (failed[last] ?? 0) + 1;
  }
  const live = new Uint32Array(parts);
  let sum = 0;
  for (let part = 0; part < parts; part += 1) {
    sum += steps[part] ?? 0;
    live[part] = sum;
  }
  return { live, failed };
}
