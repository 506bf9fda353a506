import { useQuery } from '@tanstack/react-query';
import type { StructuredPatchHunk } from 'diff';
import { structuredPatch } from 'diff';
import { useMemo } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatMoment } from '../../kit/values/format.ts';
import classes from './yaml-changes.module.css';
import { longestLine } from './yaml-lines.ts';

interface YamlChangesProps {
  /** The text that the run was started with. */
  readonly started: string;
  readonly name: string;
  /** The version that is published now. */
  readonly current: { readonly hash: string; readonly publishedAt: number };
}

const longestMs = 2_000;

/** Lines that have changed between the text of a run and the one that is published now. */
export function YamlChanges({ started, name, current: { hash, publishedAt } }: YamlChangesProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['workflow', name, hash],
    queryFn: async () => (await millrace.workflows.version(name, hash)).yaml,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const patch = useMemo(
    () =>
      data === undefined
        ? undefined
        : structuredPatch('', '', started, data, undefined, undefined, { context: 4, timeout: longestMs }),
    [started, data],
  );
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={12} />;
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
