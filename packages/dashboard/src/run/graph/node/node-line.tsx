import { oneLine } from '../../../kit/text/one-line.ts';
import { formatClock, formatDuration } from '../../../kit/values/format.ts';
import { useLiveOutput } from '../../follow/use-live-output.ts';
import type { NodeView } from '../view/node-view.ts';
import { CounterDots } from './counter-dots.tsx';
import { InnerStates } from './inner-states.tsx';
import classes from './node-line.module.css';
import { usePictureNow } from './picture-time.ts';
import { TimerRing } from './timer-ring.tsx';
import { UnitStrip } from './unit-strip.tsx';

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
  const { units, counter, timer, waitsFor, type, status, said } = node;
  if (units !== undefined) return <UnitStrip units={units} />;
  if (counter !== undefined) return <CounterDots counter={counter} />;
  if (timer !== undefined) return <TimerRing timer={timer} asOf={asOf} />;
  if (waitsFor !== undefined && status === 'waiting') return <Waiting wait={waitsFor} asOf={asOf} />;
  if (inner !== undefined) return <InnerStates states={inner} />;
  if (type === 'agent' && status === 'working') return <Words run={run} activation={node.last} />;
  return said === undefined || type !== 'agent' ? null : (
    <span className={classes['said']} title={said}>
      {oneLine(said)}
    </span>
  );
}

/** End of the live output of an agent. */
function Words({ run, activation }: { readonly run: string; readonly activation: string | undefined }) {
  const output = useLiveOutput(run, activation);
  if (output === undefined || output.text === '') return null;
  const end = output.text.slice(-120).replaceAll(/\s+/g, ' ');
  return (
    <span className={classes['words']}>
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
    <span className={classes['line']} title={'prompt' in wait ? wait.prompt : undefined}>
      {wait.type === 'person' && `asked ${since} ago`}
      {wait.type === 'budget' && (wait.asks ? `asks for a larger budget, ${since}` : `no room in the budget, ${since}`)}
      {wait.type === 'event' && `waits for ${wait.event}, ${since}`}
      {wait.type === 'time' && wait.until !== undefined && `continues at ${formatClock(wait.until)}`}
    </span>
  );
}
