import { formatClock, formatCount, formatCounted, formatDuration, oneLine } from '../../../kit/values/format.ts';
import { toneOf } from '../../../kit/values/status.tsx';
import { useServerNow } from '../../../kit/values/time.tsx';
import { useLiveOutput } from '../../follow/use-live-output.ts';
import type { NodeView } from '../view/node-view.ts';
import { countedOf } from './describe-node.ts';
import classes from './node-line.module.css';

interface NodeLineProps {
  readonly run: string;
  readonly node: NodeView;
  /** States of the nodes inside it, with spaces between them. */
  readonly inner: string | undefined;
  /** Time of a picture that does not change; undefined: it is live. */
  readonly asOf: number | undefined;
}

/** Line of a node with its current activity: words, a question, a counter, a clock or units. */
export function NodeLine({ run, node, inner, asOf }: NodeLineProps) {
  const { units, counter, timer, waitsFor, type, status, outputText } = node;
  if (units !== undefined) return <UnitStrip units={units} />;
  if (counter !== undefined) return <CounterDots counter={counter} runs={node.runs} />;
  if (timer !== undefined) return <TimerRing timer={timer} asOf={asOf} />;
  if (waitsFor !== undefined && status === 'waiting') return <Waiting wait={waitsFor} asOf={asOf} />;
  if (inner !== undefined) return <InnerStates states={inner} />;
  if (type === 'agent' && status === 'working') return <LiveText run={run} activation={node.last} />;
  return outputText === undefined || type !== 'agent' ? null : (
    <span className={`${classes['output']} cut muted small`} title={outputText}>
      {oneLine(outputText)}
    </span>
  );
}

/** End of the live output of an agent. */
function LiveText({ run, activation }: { readonly run: string; readonly activation: string | undefined }) {
  const output = useLiveOutput(run, activation);
  if (output === undefined || output.text === '') return null;
  const end = output.text.slice(-120).replaceAll(/\s+/g, ' ');
  return (
    <span className={`${classes['words']} cut small`}>
      <bdi>{end}</bdi>
    </span>
  );
}

/** Tests if the line of a node shows a time, which is another one in each picture. */
export const showsTime = ({ timer, waitsFor, status }: NodeView): boolean =>
  timer !== undefined || (waitsFor !== undefined && status === 'waiting');

interface WaitingProps {
  readonly wait: NonNullable<NodeView['waitsFor']>;
  readonly asOf: number | undefined;
}

/** A question or another wait, with its age. */
function Waiting({ wait, asOf }: WaitingProps) {
  const now = usePictureNow(asOf);
  const since = formatDuration(Math.max(0, now - wait.since));
  return (
    <span className={`${classes['line']} cut muted small row`} title={'prompt' in wait ? wait.prompt : undefined}>
      {wait.type === 'person' && `asked ${since} ago`}
      {wait.type === 'budget' && (wait.asks ? `asks for a larger budget, ${since}` : `no room in the budget, ${since}`)}
      {wait.type === 'event' && `waits for ${wait.event}, ${since}`}
      {wait.type === 'time' && wait.until !== undefined && `continues at ${formatClock(wait.until)}`}
    </span>
  );
}

/** Triggers that are drawn one by one. */
const mostDots = 7;

interface CounterDotsProps {
  readonly counter: NonNullable<NodeView['counter']>;
  /** Number of times that it was triggered. */
  readonly runs: number;
}

/** A loop counter: a dot for each trigger, or numbers where those are many. */
function CounterDots({ counter, runs }: CounterDotsProps) {
  const { limit } = counter;
  const value = countedOf(counter, runs);
  const text = `${formatCount(value)} of ${formatCount(limit)}`;
  return (
    <span className={`${classes['line']} cut muted small row`}>
      {limit <= mostDots && (
        <span className={`${classes['dots']} inline`} aria-hidden>
          {Array.from({ length: limit }, (_, dot) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the dots are all alike
            <i key={dot} data-full={dot < value} />
          ))}
        </span>
      )}
      {text}
    </span>
  );
}

/** Nodes that are drawn of a closed graph. */
const mostNodes = 40;

/** The nodes of a closed graph as small blocks with their states. */
function InnerStates({ states }: { readonly states: string }) {
  return (
    <span className={classes['blocks']} aria-hidden>
      {(states.split(' ') as NodeView['status'][]).slice(0, mostNodes).map((state, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the nodes of a graph never change their order
        <i key={at} data-tone={toneOf(state)} />
      ))}
    </span>
  );
}

const radius = 7;
const around = 2 * Math.PI * radius;

interface TimerRingProps {
  readonly timer: NonNullable<NodeView['timer']>;
  /** Time of a picture that does not change; undefined: it is live. */
  readonly asOf: number | undefined;
}

/** A loop timer: a ring that fills, and its time. It is passive: once its time has passed it waits to be triggered. */
function TimerRing({ timer, asOf }: TimerRingProps) {
  const now = usePictureNow(asOf);
  const { startedAt, limitMs, emitted } = timer;
  const passed = startedAt === undefined ? 0 : Math.max(0, now - startedAt);
  const isOver = passed >= limitMs;
  const share = Math.min(1, passed / limitMs);
  return (
    <span className={`${classes['line']} cut muted small row`}>
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
      {timerLabel({ isStarted: startedAt !== undefined, isOver, emitted }, passed, limitMs)}
    </span>
  );
}

interface TimerState {
  readonly isStarted: boolean;
  readonly isOver: boolean;
  readonly emitted: boolean;
}

function timerLabel({ isStarted, isOver, emitted }: TimerState, passed: number, limitMs: number): string {
  const limit = formatTimer(limitMs);
  if (!isStarted) return `0:00 of ${limit}`;
  if (!isOver) return `${formatTimer(passed)} of ${limit}`;
  return emitted ? `${limit} passed` : `${limit} passed, not triggered`;
}

/** Returns a time as a clock shows it: `3:12`, or `1:03:12` with hours. */
function formatTimer(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const pad = (part: number): string => String(part).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}

/** Units of a fan-out: the numbers of completed, failed and executing units, in words and as a strip. */
function UnitStrip({ units }: { readonly units: NonNullable<NodeView['units']> }) {
  const { total, completed, failed, live } = units;
  const share = (part: number): string => `${(100 * part) / Math.max(1, total)}%`;
  return (
    <span className={`${classes['units']} cut muted small stack`}>
      <span>
        {formatCount(completed)} of {formatCounted(total, 'unit')}
        {failed > 0 && (
          <b className="ink strong" data-tone="failed">
            {' '}
            · {formatCount(failed)} failed
          </b>
        )}
        {live > 0 && ` · ${formatCount(live)} working`}
      </span>
      <span className={`${classes['strip']} meter`} aria-hidden>
        <i data-part="completed" style={{ width: share(completed) }} />
        <i data-part="failed" style={{ width: share(failed) }} />
        <i data-part="live" style={{ width: share(live) }} />
      </span>
    </span>
  );
}

/**
 * Returns the time up to which a picture shows ages and timers. `asOf` is that of a picture that does not change, in
 * milliseconds since 1970: of a past event, or of the end of the run; undefined: it is live.
 */
function usePictureNow(asOf: number | undefined): number {
  const now = useServerNow();
  return asOf ?? now;
}
