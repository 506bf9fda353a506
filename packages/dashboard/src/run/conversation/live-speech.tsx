import type { RunGraphs } from '@millrace/client';
import { PlainText } from '../../kit/text/markdown.tsx';
import { useLiveOutput } from '../follow/use-live-output.ts';
import { usePicture } from '../use-picture.ts';
import classes from './conversation.module.css';
import { toneOfName } from './tone-of-name.ts';

/** Activations whose words are shown as they come. */
const mostSpeakers = 5;
/** Characters of the newest words that are shown. */
const shown = 4_000;

interface LiveSpeechProps {
  readonly run: string;
  readonly graphs: RunGraphs | undefined;
  /** Id of the only node that is shown; absent: all. */
  readonly node: string | undefined;
}

/** Words of agents that are at work, as they come. They are not announced; the whole output is, once it is there. */
export function LiveSpeech({ run, graphs, node }: LiveSpeechProps) {
  const picture = usePicture(run, undefined);
  const working = [...(picture?.live ?? [])].flatMap(([activation, one]) => {
    const of = graphs?.graphs.find(({ key }) => key === one.graph)?.nodes[one.node];
    const isShown = of !== undefined && of.discreet !== true && (node === undefined || of.id === node);
    return one.state === 'working' && isShown ? [{ activation, name: of.id }] : [];
  });
  return (
    <div className={classes['speech']} aria-live="off">
      {working.slice(0, mostSpeakers).map(({ activation, name }) => (
        <Speech key={activation} run={run} activation={activation} name={name} />
      ))}
    </div>
  );
}

interface SpeechProps {
  readonly run: string;
  readonly activation: string;
  readonly name: string;
}

function Speech({ run, activation, name }: SpeechProps) {
  const output = useLiveOutput(run, activation);
  const text = output?.text ?? '';
  return (
    <div className={classes['entry']}>
      <span className={`${classes['initial']} ${classes[toneOfName(name)]}`} aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <div>
        <p className={classes['head']}>
          <strong>{name}</strong>
          <span>{text === '' ? 'is at work' : 'speaks'}</span>
          <code>{activation}</code>
        </p>
        <div className={classes['caret']}>
          <PlainText text={text.length > shown ? `…${text.slice(-shown)}` : text} />
        </div>
      </div>
    </div>
  );
}
