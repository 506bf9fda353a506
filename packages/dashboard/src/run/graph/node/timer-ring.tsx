import type { NodeView } from '../view/node-view.ts';
import classes from './node-line.module.css';
import { usePictureNow } from './picture-time.ts';

const radius = 7;
const around = 2 * Math.PI * radius;

interface TimerRingProps {
  readonly timer: NonNullable<NodeView['timer']>;
  /** Time of a picture that does not change; undefined: it is live. */
  readonly asOf: number | undefined;
}

/** A loop timer: a ring that fills, and its time. It is passive: once its time has passed it waits to be triggered. */
export function TimerRing({ timer, asOf }: TimerRingProps) {
  const now = usePictureNow(asOf);
  const { startedAt, limitMs, emitted } = timer;
  const passed = startedAt === undefined ? 0 : Math.max(0, now - startedAt);
  const isOver = passed >= limitMs;
  const share = Math.min(1, passed / limitMs);
  return (
    <span className={classes['line']}>
      <svg
        className={classes['ring']}
        viewBox="0 0 18 18"
        width={16}
        height={16}
        aria-hidden
        data-over={isOver && !emitted}
      >
        <circle cx={9} cy={9} r={radius} />
        {startedAt !== undefined && !(isOver && !emitted) && (
          <circle cx={9} cy={9} r={radius} strokeDasharray={`${share * around} ${around}`} />
        )}
      </svg>
      {wordsOf({ isStarted: startedAt !== undefined, isOver, emitted }, passed, limitMs)}
    </span>
  );
}

interface TimerState {
  readonly isStarted: boolean;
  readonly isOver: boolean;
  readonly emitted: boolean;
}

function wordsOf({ isStarted, isOver, emitted }: TimerState, passed: number, limitMs: number): string {
  const limit = formatTimer(limitMs);
  if (!isStarted) return `0:00 of ${limit}`;
  if (!isOver) return `${formatTimer(passed)} of ${limit}`;
  return emitted ? `${limit} passed` : `${limit} passed, not triggered`;
}

/** Returns a time as a clock shows it: `3:12`, or `1:03:12` with hours. */
export function formatTimer(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const pad = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
