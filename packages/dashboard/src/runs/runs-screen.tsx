import { useNavigate, useSearch } from '@tanstack/react-router';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunTable } from './run-table.tsx';
import { useRuns } from './use-runs.ts';

/** The list of all runs, newest first. */
export function RunsScreen() {
  const filter = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  const { data, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useRuns(filter);
  const runs = data?.pages.flatMap((page) => page.data);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Screen title="Runs">
      <RunFilters filter={filter} change={(search) => void navigate({ search })} />
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {runs === undefined && error === null && <Skeleton rows={12} />}
      {runs?.length === 0 && !hasNextPage && (
        <NoRuns isFiltered={isFiltered} clear={() => void navigate({ search: {} })} />
      )}
      {runs !== undefined && runs.length > 0 && (
        <RunTable
          runs={runs}
          more={hasNextPage ? { isLoading: isFetchingNextPage, load: () => void fetchNextPage() } : undefined}
        />
      )}
    </Screen>
  );
}

function NoRuns({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  if (!isFiltered)
    return (
      <Empty title="No run has been started yet.">
        <code>millrace run examples/hello.yaml --input "Rain"</code>
      </Empty>
    );
  return (
    <Empty title="No run matches these filters.">
      <button type="button" className="button" onClick={clear}>
        Clear all filters
      </button>
    </Empty>
  );
}
