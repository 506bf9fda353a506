import type { StructuredPatchHunk } from 'diff';
import { diffLines, structuredPatch } from 'diff';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import classes from './text-diff.module.css';

/** Tone of a line by its sign; lines that both texts have are without one. */
const tones: Readonly<Record<string, string>> = { '+': 'completed', '-': 'failed', '−': 'failed' };

/** Maximum time of a comparison of texts that are shown in whole, in milliseconds: longer ones block the page. */
const maxWholeMs = 200;

interface TextDiffProps {
  readonly before: string;
  readonly after: string;
  /** Shows a line in another way than as it is. */
  readonly lineOf?: (line: string) => ReactNode;
}

/** Changes from one text to another, line by line. */
export function TextDiff({ before, after, lineOf = (line) => line }: TextDiffProps) {
  const parts = diffLines(before, after, { timeout: maxWholeMs });
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
        <span key={at} className="tinted" data-tone={tones[sign]}>
          <b aria-hidden>{sign}</b>
          {sign !== ' ' && <span className="visually-hidden">{sign === '+' ? 'added: ' : 'removed: '}</span>}
          {lineOf(line)}
        </span>
      ))}
    </pre>
  );
}

/** Maximum time of a comparison, in milliseconds: longer ones block the page. */
const maxMs = 2_000;
/** Characters of a line that are shown. */
const longestLine = 2_000;

/** Lines that have changed between two texts, each with a few lines around it. */
export function LineChanges({ before, after }: { readonly before: string; readonly after: string }) {
  const patch = useMemo(
    () =>
      structuredPatch('', '', withEnd(before), withEnd(after), undefined, undefined, { context: 4, timeout: maxMs }),
    [before, after],
  );
  if (patch === undefined) return <p>The texts differ in too many lines to compare them here.</p>;
  if (patch.hunks.length === 0 && before !== after) return <p>The texts differ in the line break at their end.</p>;
  return patch.hunks.map((hunk) => <Hunk key={`${hunk.oldStart}-${hunk.newStart}`} hunk={hunk} />);
}

/** Returns a text with a line break at its end, without which its last line would be another one. */
const withEnd = (text: string): string => (text === '' || text.endsWith('\n') ? text : `${text}\n`);

const signs = { '+': 'added', '-': 'removed' } as const;

function Hunk({ hunk }: { readonly hunk: StructuredPatchHunk }) {
  let before = hunk.oldStart;
  let after = hunk.newStart;
  const lines = hunk.lines.map((line) => {
    const sign = line.slice(0, 1);
    const row = { sign, text: line.slice(1, longestLine), before, after };
    if (sign !== '+') before += 1;
    if (sign !== '-') after += 1;
    return row;
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: lines that are wider than the page are scrolled with the keyboard
    <section className={classes['hunk']} aria-label={`Changes at line ${hunk.oldStart}`} tabIndex={0}>
      <ol>
        {lines.map(({ sign, text, before: old, after: fresh }) => {
          const change = signs[sign as keyof typeof signs]; // undefined for a line that both texts have
          return (
            <li key={`${sign}${old}-${fresh}`} data-tone={tones[sign]}>
              <span aria-hidden>{sign === '+' ? '' : old}</span>
              <span aria-hidden>{sign === '-' ? '' : fresh}</span>
              <span aria-hidden>{sign}</span>
              <code>
                {change !== undefined && <span className="visually-hidden">{change}: </span>}
                {text}
              </code>
            </li>
          );
        })}
      </ol>
    </section>
  );
}
