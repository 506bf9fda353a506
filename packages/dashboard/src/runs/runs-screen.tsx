import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { Screen, SkipLink } from '../kit/layout/screen.tsx';
import { parseRunFilter } from './filter/run-filter.ts';
import { RunFilters } from './filter/run-filters.tsx';
import classes from './list/column-choice.module.css';
import { RunList } from './list/run-list.tsx';
import type { ColumnName } from './list/run-table.tsx';
import { columns, showColumn, useHiddenColumns } from './list/run-table.tsx';

/** The list of all runs, newest first. */
export function RunsScreen() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  // The address may have more in it than a filter.
  const filter = useMemo(() => parseRunFilter({ ...search }), [search]);
  return (
    <Screen
      title="Runs"
      skip={<SkipLink to={['tr[data-run] a']}>Skip to the list</SkipLink>}
      actions={
        <>
          <ColumnChoice />
          <StartLink workflow={filter.workflow} />
        </>
      }
    >
      <RunFilters filter={filter} change={(changed) => void navigate({ search: changed })} />
      <RunList key={JSON.stringify(filter)} filter={filter} clearFilter={() => void navigate({ search: {} })} />
    </Screen>
  );
}

/** Link to the form of a new run, of the workflow that the list is filtered by. */
const StartLink = ({ workflow }: { readonly workflow: string | undefined }) => (
  <Link className="button primary" to="/runs/new" search={workflow === undefined ? {} : { workflow }}>
    <Plus aria-hidden size={14} /> Start
  </Link>
);

/** Choice of the columns of the list of runs; this browser keeps it. */
function ColumnChoice() {
  const hidden = useHiddenColumns().split(' ');
  return (
    <details className={classes['choice']}>
      <summary aria-label="Columns" title="Columns">
        <Columns3 aria-hidden size={14} />
      </summary>
      <fieldset>
        <legend>Columns</legend>
        {(Object.entries(columns) as [ColumnName, string][]).map(([name, title]) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={!hidden.includes(name)}
              onChange={({ target }) => showColumn(name, target.checked)}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
