import type { RunGraphs } from '@millrace/client';
import { useSyncExternalStore } from 'react';
import { PlainText } from '../../kit/text/markdown.tsx';
import type { LiveOutput } from '../follow/live-outputs.ts';
import { logOf } from '../follow/run-logs.ts';
import classes from './conversation.module.css';
import { toneOfName } from './tone-of-name.ts';

/** Activations whose words are shown as they come. */
const mostSpeakers = 5;
/** Characters of the newest words that are shown. */
const shown = 4_000;

interface LiveSpeechProps {
  readonly run: string;
  readonly graphs: RunGraphs;
  /** Id of the only node that is shown; absent: all. */
  readonly node: string | undefined;
}

/** Live output of executing agents. Screen readers do not announce it; they announce the complete output. */
export function LiveSpeech({ run, graphs, node }: LiveSpeechProps) {
  const { liveOutputs } = logOf(run);
  const outputs = useSyncExternalStore(liveOutputs.subscribe, liveOutputs.all);
  const isDiscreet = (id: string) =>
    graphs.graphs.some(({ nodes }) => nodes.some((one) => one.id === id && one.discreet === true));
  const speakers = [...outputs].filter(
    ([, output]) => (node === undefined || output.node === node) && !isDiscreet(output.node),
  );
  return (
    <div className={classes['speech']} aria-live="off">
      {speakers.slice(0, mostSpeakers).map(([activation, output]) => (
        <AgentOutput key={activation} activation={activation} output={output} />
      ))}
    </div>
  );
}

interface SpeechProps {
  readonly activation: string;
  readonly output: LiveOutput;
}

function AgentOutput({ activation, output: { node: name, text } }: SpeechProps) {
  return (
    <div className={classes['entry']}>
      <span className={`${classes['initial']} ${classes[toneOfName(name)]}`} aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <div>
        <p className={classes['head']}>
          <strong>{name}</strong>
          <span>{text === '' ? 'is working' : 'speaks'}</span>
          <code>{activation}</code>
        </p>
        <div className={classes['caret']}>
          <PlainText text={text.length > shown ? `…${text.slice(-shown)}` : text} />
        </div>
      </div>
    </div>
  );
}
