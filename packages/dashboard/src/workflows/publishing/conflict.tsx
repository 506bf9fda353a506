import type { PublishedWorkflow } from '@millrace/client';
import { useState } from 'react';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { LineChanges } from '../../kit/text/line-changes.tsx';
import { Age } from '../../kit/values/time.tsx';
import { useVersion } from '../use-workflows.ts';
import workflows from '../workflows.module.css';

interface ConflictProps {
  readonly name: string;
  /** Hash of the version that both texts began with; null: the name was free. */
  readonly base: string | null;
  readonly theirs: PublishedWorkflow;
  readonly mine: string;
  readonly rebase: (base: string) => void;
  readonly restart: (start: { readonly text: string; readonly base: string }) => void;
}

/** Conflict with another publication: its author, the three texts, and the possible actions. */
export function Conflict({ name, base, theirs, mine, rebase, restart }: ConflictProps) {
  const { hash, by = 'Somebody', publishedAt, note, yaml } = theirs;
  return (
    <>
      <p role="alert">
        <strong>
          {by} was first: {name} is at <code>@{hash.slice(0, 6)}</code>, published <Age at={publishedAt} />.
        </strong>
        {note !== undefined && ` “${note}”`}
      </p>
      <p>Nothing was published, and nothing of what you wrote is lost.</p>
      {base === null ? (
        <TwoTexts theirs={yaml} mine={mine} />
      ) : (
        <ThreeTexts name={name} base={base} theirs={yaml} mine={mine} />
      )}
      <div className={workflows['buttons']}>
        <button type="button" className="button" onClick={() => rebase(hash)}>
          Keep mine, and publish it over theirs
        </button>
        <button type="button" className="button danger" onClick={() => restart({ text: yaml, base: hash })}>
          Drop mine, and continue with theirs
        </button>
      </div>
    </>
  );
}

interface Texts {
  readonly theirs: string;
  readonly mine: string;
}

const TwoTexts = ({ theirs, mine }: Texts) => (
  <>
    <h3>From theirs to mine</h3>
    <LineChanges before={theirs} after={mine} />
  </>
);

const views = { theirs: 'What they changed', mine: 'What I changed', both: 'From theirs to mine' } as const;

function ThreeTexts({ name, base, theirs, mine }: Texts & { readonly name: string; readonly base: string }) {
  const [view, show] = useState<keyof typeof views>('theirs');
  const { data, error } = useVersion(name, base);
  if (error !== null) return <Problem error={error} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const [before, after] = { theirs: [data.yaml, theirs], mine: [data.yaml, mine], both: [theirs, mine] }[view];
  return (
    <>
      <Segmented label="Changes" options={views} value={view} choose={show} />
      {before === after ? <p>Nothing.</p> : <LineChanges before={before ?? ''} after={after ?? ''} />}
    </>
  );
}
