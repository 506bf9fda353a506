import type { StructuredPatchHunk } from 'diff';
import { structuredPatch } from 'diff';
import { useMemo } from 'react';
import { formatMoment } from '../../kit/values/format.ts';
import type { PublishedText } from './use-published.ts';
import classes from './yaml-changes.module.css';
import { longestLine } from './yaml-lines.ts';

interface YamlChangesProps {
  /** The text that the run was started with. */
  readonly started: string;
  readonly published: PublishedText;
}

const longestMs = 2_000;

/** Lines that have changed between the text of a run and the one that is published now. */
export function YamlChanges({ started, published }: YamlChangesProps) {
  const { yaml, hash, publishedAt } = published;
  const patch = useMemo(
    () => structuredPatch('', '', started, yaml, undefined, undefined, { context: 4, timeout: longestMs }),
    [started, yaml],
  );
  if (patch === undefined) return <p>The texts differ in too many lines to compare them here.</p>;
  return (
    <>
      <p className={classes['facts']}>
        From the text of this run to <code>{hash.slice(0, 12)}</code>, published {formatMoment(publishedAt)}.
      </p>
      {patch.hunks.map((hunk) => (
        <Hunk key={`${hunk.oldStart}-${hunk.newStart}`} hunk={hunk} />
      ))}
    </>
  );
}

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
            <li key={`${sign}${old}-${fresh}`} className={change === undefined ? undefined : classes[change]}>
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
