import type { Task } from '@millrace/client';
import classes from './questions.module.css';

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
    <p className={`${classes['goesTo']} row wrap muted`} aria-live="off">
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

/** Nodes to which the fields of an answer lead, with their conditions. */
export const Conditions = ({ exits }: { readonly exits: Exits }) => (
  <p className={`${classes['goesTo']} row wrap muted`}>
    <span>goes to:</span>
    {exits.map(({ to, condition }) => (
      <span key={`${to} ${condition}`}>
        <strong>{to}</strong>
        {condition !== undefined && ` if ${condition}`}
      </span>
    ))}
  </p>
);

interface AnswerWordsProps {
  readonly exits: Exits;
  readonly choose: (word: string) => void;
}

/** Buttons with the words that conditions wait for. */
export function AnswerWords({ exits, choose }: AnswerWordsProps) {
  const words = answerWords(exits);
  if (words.length === 0) return null;
  return (
    <div className={`${classes['words']} row wrap`}>
      {words.map(({ word, to, notTo }) => (
        <button key={word} type="button" className="button" onClick={() => choose(word)}>
          {word} → {to.length > 0 ? to.join(', ') : `not to ${notTo.join(', ')}`}
        </button>
      ))}
    </div>
  );
}

type Exit = NonNullable<Task['goesTo']>[number];
type TextTest = NonNullable<Exit['test']>;

/** A node to which an answer leads: `yes` or `no` if the text decides it; `code`: only code decides. */
interface Destination {
  readonly to: string;
  /** Condition in words; absent: every answer leads there. */
  readonly condition?: string | undefined;
  readonly verdict: 'yes' | 'no' | 'code';
}

/** Returns the nodes that an answer leads to, by the conditions of the edges. */
export const destinationsOf = (exits: readonly Exit[], text: string): readonly Destination[] =>
  exits.map(({ to, condition, test }) => ({ to, condition, verdict: verdictOf({ condition, test }, text) }));

function verdictOf({ condition, test }: Pick<Exit, 'condition' | 'test'>, text: string): Destination['verdict'] {
  if (condition === undefined) return 'yes';
  if (test === undefined) return 'code';
  const passes = passesTest(test, text);
  return passes === undefined ? 'code' : passes ? 'yes' : 'no';
}

/** Tests if a text matches a condition; undefined if a pattern of Python has no meaning, or another one, in this browser. */
export function passesTest({ any, all, none, patterns, flags }: TextTest, text: string): boolean | undefined {
  const ignoresCase = flags.includes('IGNORECASE');
  const fold = (one: string): string => (ignoresCase ? one.toLowerCase() : one);
  const folded = fold(text);
  // An empty word never occurs.
  const occurs = (word: string): boolean => word !== '' && folded.includes(fold(word));
  if (none.some(occurs) || !all.every(occurs)) return false;
  if (any.some(occurs)) return true;
  for (const pattern of patterns) {
    const regex = translated(pattern, flags);
    if (regex === undefined) return undefined;
    if (regex.test(text)) return true;
  }
  return any.length === 0 && patterns.length === 0;
}

/** Returns a pattern of Python as one of the browser; undefined where the two languages differ. */
function translated(pattern: string, flags: readonly string[]): RegExp | undefined {
  // Groups with flags or names, conditionals, comments, anchors of Python, classes of POSIX, and atomic parts.
  if (/\(\?(?![:=!]|<[=!])|\\[AZgpP]|\[\[|[*+?}]\+|\\[bBdDsSwW].*[^\x20-\x7e]/.test(pattern)) return undefined;
  const letters = [
    flags.includes('IGNORECASE') ? 'i' : '',
    flags.includes('MULTILINE') ? 'm' : '',
    flags.includes('DOTALL') ? 's' : '',
  ].join('');
  try {
    return new RegExp(pattern, `u${letters}`);
  } catch {
    return undefined;
  }
}

/** A word that leads to a node if it is the whole answer. */
interface AnswerWord {
  readonly word: string;
  /** Empty if it only keeps the answer from other nodes. */
  readonly to: readonly string[];
  /** Nodes to which it does not lead because their condition excludes it. */
  readonly notTo: readonly string[];
}

/** Maximum number of words that are offered. */
const maxWords = 30;

/** Returns the words that conditions wait for or exclude, each with the nodes to which it leads because of a condition. */
export function answerWords(exits: readonly Exit[]): readonly AnswerWord[] {
  const words = exits.flatMap(({ test }) => (test === undefined ? [] : [...test.any, ...test.all, ...test.none]));
  return [...new Set(words)]
    .filter((word) => word.trim() !== '' && word.length <= 40)
    .slice(0, maxWords)
    .map((word) => answerWord(exits, word))
    .filter(({ to, notTo }) => to.length > 0 || notTo.length > 0);
}

function answerWord(exits: readonly Exit[], word: string): AnswerWord {
  const all = destinationsOf(exits, word);
  const notTo = exits.flatMap(({ to, test }, at) =>
    all[at]?.verdict === 'no' && test?.none.includes(word) === true ? [to] : [],
  );
  const met = all.filter(({ verdict }) => verdict === 'yes');
  const byCondition = met.filter(({ condition }) => condition !== undefined);
  // A word that is excluded decides for the edges without a condition, too: nothing else is left.
  const led = byCondition.length > 0 || notTo.length === 0 ? byCondition : met;
  return { word, to: led.map(({ to }) => to), notTo };
}
