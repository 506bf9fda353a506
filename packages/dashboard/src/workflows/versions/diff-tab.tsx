import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { versionQuery } from '../../api/workflow-queries.ts';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { LineChanges } from '../../kit/text/text-diff.tsx';
import { Age } from '../../kit/values/time.tsx';
import classes from '../workflows.module.css';

/** The lines that differ between two versions of a workflow. */
export function DiffTab() {
  const { name, a, b } = useParams({ from: '/workflows/$name/diff/$a/$b' });
  const before = useQuery(versionQuery(name, a));
  const after = useQuery(versionQuery(name, b));
  const error = before.error ?? after.error;
  if (error !== null)
    return <Problem error={error} retry={() => void Promise.all([before.refetch(), after.refetch()])} />;
  if (before.data === undefined || after.data === undefined) return <Skeleton rows={8} />;
  return (
    <>
      <h2>Changes between two versions</h2>
      <p className={`${classes['facts']} spaced row wrap muted`}>
        {[before.data, after.data].map(({ hash, createdAt, by, note }, at) => (
          <span key={at === 0 ? 'from' : 'to'}>
            {at === 0 ? 'from ' : 'to '}
            <code>@{hash.slice(0, 6)}</code>, <Age at={createdAt} />
            {by !== undefined && ` by ${by}`}
            {note !== undefined && `: ${note}`}
          </span>
        ))}
        <Link to="/workflows/$name/diff/$a/$b" params={{ name, a: b, b: a }}>
          Swap
        </Link>
      </p>
      {before.data.yaml === after.data.yaml ? (
        <p>The two texts are the same.</p>
      ) : (
        <LineChanges before={before.data.yaml} after={after.data.yaml} />
      )}
    </>
  );
}
