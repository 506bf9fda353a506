import { diffLines } from 'diff';
import classes from './text-diff.module.css';

/** Maximum time of a comparison, in milliseconds: longer ones block the page. */
const maxMs = 200;

/** Changes from one text to another, line by line. */
export function TextDiff({ before, after }: { readonly before: string; readonly after: string }) {
  const parts = diffLines(before, after, { timeout: maxMs });
  if (parts === undefined) return <p>The texts differ too much to compare them here.</p>;
  if (parts.every(({ added, removed }) => !added && !removed)) return <p>Nothing has changed.</p>;
  const lines = parts.flatMap(({ value, added, removed }) =>
    value
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => ({ line, sign: added ? '+' : removed ? '−' : ' ' })),
  );
  return (
    <pre className={`${classes['diff']} small`}>
      {lines.map(({ line, sign }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one comparison never change their places
        <span key={at} data-sign={sign}>
          <b aria-hidden>{sign}</b>
          {sign !== ' ' && <span className="visually-hidden">{sign === '+' ? 'added: ' : 'removed: '}</span>}
          {line}
        </span>
      ))}
    </pre>
  );
}
