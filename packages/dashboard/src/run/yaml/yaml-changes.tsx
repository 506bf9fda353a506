import { useQuery } from '@tanstack/react-query';
import { versionQuery } from '../../api/workflow-queries.ts';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { LineChanges } from '../../kit/text/text-diff.tsx';
import { formatMoment } from '../../kit/values/format.ts';
import classes from './yaml-tab.module.css';

interface YamlChangesProps {
  /** The text that the run was started with. */
  readonly started: string;
  readonly name: string;
  /** The version that is published now. */
  readonly current: { readonly hash: string; readonly publishedAt: number };
}

/** Lines that have changed between the text of a run and the one that is published now. */
export function YamlChanges({ started, name, current: { hash, publishedAt } }: YamlChangesProps) {
  const { data, error, refetch } = useQuery(versionQuery(name, hash));
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={12} />;
  return (
    <>
      <p className={`${classes['changes']} muted`}>
        From the text of this run to <code>{hash.slice(0, 12)}</code>, published {formatMoment(publishedAt)}.
      </p>
      <LineChanges before={started} after={data.yaml} />
    </>
  );
}
