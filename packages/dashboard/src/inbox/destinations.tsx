import type { Task } from '@millrace/client';
import { answerWords, destinationsOf } from './goes-to.ts';
import classes from './inbox.module.css';

type Exits = NonNullable<Task['goesTo']>;

/** Next nodes for the current text of the answer. */
export function Destinations({ exits, text }: { readonly exits: Exits; readonly text: string }) {
  const all = destinationsOf(exits, text);
  const named = (verdict: 'yes' | 'code') =>
    all
      .filter((one) => one.verdict === verdict)
      .map(({ to, condition }) => (condition === undefined ? to : `${to} (${condition})`));
  const [certain, byCode] = [named('yes'), named('code')];
  return (
    <p className={classes['goesTo']} aria-live="off">
      {certain.length > 0 && (
        <span>
          goes to: <strong>{certain.join(', ')}</strong>
        </span>
      )}
      {byCode.length > 0 && <span>decided by code: {byCode.join(', ')}</span>}
      {certain.length === 0 && byCode.length === 0 && <span>leads nowhere: no condition is met</span>}
    </p>
  );
}

interface AnswerWordsProps {
  readonly exits: Exits;
  readonly choose: (word: string) => void;
}

/** Buttons with the words that conditions wait for. */
export function AnswerWords({ exits, choose }: AnswerWordsProps) {
  const words = answerWords(exits);
  if (words.length === 0) return null;
  return (
    <div className={classes['words']}>
      {words.map(({ word, to }) => (
        <button key={word} type="button" className="button" onClick={() => choose(word)}>
          {word} → {to.join(', ')}
        </button>
      ))}
    </div>
  );
}
