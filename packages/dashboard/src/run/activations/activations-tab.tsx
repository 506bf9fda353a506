import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { useServerNow } from '../../kit/values/use-now.ts';
import { useTimeline } from '../timeline/use-timeline.ts';
import { ActivationDrawer } from './activation-drawer.tsx';
import { ActivationFilters } from './activation-filters.tsx';
import { ActivationTable } from './activation-table.tsx';
import type { ActivationsPlace } from './activations-place.ts';
import { chooseRows } from './choose-rows.ts';

/** Each time that a node was due: a table with filters, and a drawer with everything about one of them. */
export function ActivationsTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const place = useSearch({ from: '/runs/$run/activations' });
  const navigate = useNavigate({ from: '/runs/$run/activations' });
  const { data: rows, error, refetch } = useTimeline(run);
  const now = useServerNow();
  // Rows under way change their order when they are loaded again, not with each second.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  const chosen = useMemo(() => chooseRows(rows ?? [], place, now), [rows, place]);
  if (error !== null && rows === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (rows === undefined) return <Skeleton rows={8} />;
  if (rows.length === 0) return <Empty title="No node has run yet." />;
  const change = (changed: ActivationsPlace) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true });
  const at = chosen.findIndex(({ id }) => id === place.a);
  return (
    <>
      <Problem error={error} retry={() => void refetch()} />
      <ActivationFilters rows={rows} found={chosen.length} place={place} change={change} />
      {chosen.length === 0 ? (
        <Empty title="No activation matches these filters.">
          <button type="button" className="button" onClick={() => void navigate({ search: {} })}>
            Clear all filters
          </button>
        </Empty>
      ) : (
        <ActivationTable run={run} rows={chosen} now={now} open={place.a} show={(a) => change({ a })} />
      )}
      {place.a !== undefined && (
        <ActivationDrawer
          run={run}
          activation={place.a}
          show={(a) => change({ a })}
          before={chosen[at - 1]?.id}
          after={at < 0 ? undefined : chosen[at + 1]?.id}
        />
      )}
    </>
  );
}
