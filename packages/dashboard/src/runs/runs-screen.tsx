import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Screen } from '../kit/layout/screen.tsx';
import { parseRunFilter } from './filter/run-filter.ts';
import { RunFilters } from './filter/run-filters.tsx';
import { ColumnChoice } from './list/column-choice.tsx';
import { RunList } from './list/run-list.tsx';

/** The list of all runs, newest first. */
export function RunsScreen() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  // The address may have more in it than a filter.
  const filter = useMemo(() => parseRunFilter({ ...search }), [search]);
  return (
    <Screen title="Runs" actions={<ColumnChoice />}>
      <RunFilters filter={filter} change={(changed) => void navigate({ search: changed })} />
      <RunList key={JSON.stringify(filter)} filter={filter} clearFilter={() => void navigate({ search: {} })} />
    </Screen>
  );
}
