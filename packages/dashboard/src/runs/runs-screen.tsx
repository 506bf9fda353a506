import type { RunLine } from '@millrace/client';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Columns3, Plus } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { Allowed } from '../kit/commands/allowed.tsx';
import { ServerCommand } from '../kit/commands/server-command.tsx';
import { Screen, SkipLink } from '../kit/layout/screen.tsx';
import { useShortcut } from '../kit/shortcuts/shortcuts.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Partial, Stale } from '../kit/states/notes.tsx';
import { isUnreached, Problem } from '../kit/states/problem.tsx';
import { formatClock, formatCount } from '../kit/values/format.ts';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { extended, nothingSelected, toggled } from './bulk/selection.ts';
import type { RunFilter } from './filter/run-filter.ts';
import { isOnlyListed, parseRunFilter } from './filter/run-filter.ts';
import { RunFilters } from './filter/run-filters.tsx';
import type { SortColumn } from './filter/run-order.ts';
import { useRunCounts } from './filter/use-run-counts.ts';
import { HealthLine } from './health-line.tsx';
import classes from './list/column-choice.module.css';
import type { RunPages } from './list/run-pages.ts';
import { rowCount } from './list/run-pages.ts';
import type { ColumnName } from './list/run-table.tsx';
import { columns, RunTable, showColumn, useHiddenColumns, useRunRowHeight } from './list/run-table.tsx';
import type { RunListState } from './list/use-run-list.ts';
import { useRunList } from './list/use-run-list.ts';
import { useSortedRuns } from './list/use-sorted-runs.ts';

/** The list of all runs, newest first. */
export function RunsScreen() {
  const search = useSearch({ from: '/runs' });
  const navigate = useNavigate({ from: '/runs' });
  // The address may have more in it than a filter.
  const filter = useMemo(() => parseRunFilter({ ...search }), [search]);
  const { sort } = search;
  const change = (changed: RunFilter) => void navigate({ search: { ...changed, ...(sort && { sort }) } });
  const sortBy = (column: SortColumn | undefined) =>
    void navigate({ search: { ...filter, ...(column && { sort: column }) }, replace: true });
  const shown = { filter, clearFilter: () => change({}), sort, sortBy };
  const key = JSON.stringify([filter, sort]);
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
      <HealthLine />
      <RunFilters filter={filter} change={change} sort={sort} />
      {sort === undefined ? <NewestRuns key={key} {...shown} /> : <SortedRuns key={key} {...shown} sort={sort} />}
    </Screen>
  );
}

/** Link to the form of a new run, of the workflow that the list is filtered by. */
const StartLink = ({ workflow }: { readonly workflow: string | undefined }) => (
  <Allowed scope="run">
    <Link className="button primary" to="/runs/new" search={workflow === undefined ? {} : { workflow }}>
      <Plus aria-hidden size={14} /> Start
    </Link>
  </Allowed>
);

/** Choice of the columns of the list of runs; this browser keeps it. */
function ColumnChoice() {
  const hidden = useHiddenColumns().split(' ');
  return (
    <details className={classes['choice']}>
      <summary className="panel center muted" aria-label="Columns" title="Columns">
        <Columns3 aria-hidden size={14} />
      </summary>
      <fieldset className="panel">
        <legend className="visually-hidden">Columns</legend>
        {(Object.entries(columns) as [ColumnName, string][]).map(([name, title]) => (
          <label key={name} className="row">
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

interface ShownListProps {
  readonly filter: RunFilter;
  readonly clearFilter: () => void;
  readonly sort: SortColumn | undefined;
  readonly sortBy: (column: SortColumn | undefined) => void;
}

/** The runs that a filter finds, newest first; they are kept up to date. */
function NewestRuns(props: ShownListProps) {
  const { holds, handlers } = useHold();
  return <RunList {...props} holds={holds} handlers={handlers} state={useRunList(props.filter, holds)} />;
}

/** The newest runs that a filter finds, sorted by a column, as of one moment. */
function SortedRuns(props: ShownListProps & { readonly sort: SortColumn }) {
  const { hasMore, ...state } = useSortedRuns(props.filter, props.sort);
  const { holds, handlers } = useHold();
  return (
    <>
      {state.list !== undefined && (
        <p className="row wrap muted small">
          {hasMore ? `The ${formatCount(rowCount(state.list))} newest runs` : 'All runs'} by {props.sort}, as of{' '}
          {formatClock(state.updatedAt)}.
          <button type="button" className="link-button" onClick={state.retry}>
            Load again
          </button>
        </p>
      )}
      <RunList {...props} holds={holds} handlers={handlers} state={state} />
    </>
  );
}

interface RunListProps extends ShownListProps, ReturnType<typeof useHold> {
  readonly state: RunListState;
}

/** The runs of a list, or the reason why there are none. */
function RunList({ state, holds, handlers, ...shown }: RunListProps) {
  const { filter, clearFilter } = shown;
  const { list, error, updatedAt, load, retry } = state;
  const rowHeight = useRunRowHeight();
  const isFiltered = Object.keys(filter).length > 0;
  const isEmpty = list !== undefined && rowCount(list) === 0;
  const hasProblem = error !== null && error !== undefined;
  // The banner of the frame says that the server does not answer.
  const isReported = list !== undefined && isUnreached(error);
  return (
    <>
      {hasProblem && !isReported && <Problem error={error} retry={retry} />}
      {list !== undefined && <Stale at={updatedAt} isStale={hasProblem} />}
      {list === undefined && !hasProblem && <Skeleton rows={12} rowHeight={rowHeight} />}
      {isEmpty && !list.isPartial && <NoRuns isFiltered={isFiltered} clear={clearFilter} />}
      {list !== undefined && !isEmpty && (
        <div {...handlers}>
          <Rows {...shown} list={list} holds={holds} load={load} />
        </div>
      )}
      {list?.isPartial === true && (
        <Partial looked={list.looked} found={rowCount(list)} noun="runs" goOn={() => load(list.pages.length)} />
      )}
    </>
  );
}

interface RowsProps extends ShownListProps {
  readonly list: RunPages;
  readonly holds: boolean;
  readonly load: (page: number) => void;
}

function Rows({ filter, list, holds, load, clearFilter, sort, sortBy }: RowsProps) {
  const runs = useMemo(() => list.pages.flatMap(({ runs = [] }) => runs), [list]);
  // Rows that are sorted do not change by themselves.
  const { hidden, showNew } = useHiddenRows(runs, holds && sort === undefined);
  const [selection, change] = useState(nothingSelected);
  const { data: counts } = useRunCounts(filter);
  const clear = () => change(nothingSelected);
  useShortcut('leave', () => (selection.ids.size > 0 ? clear() : clearFilter()));
  const total =
    sort !== undefined || filter.status === undefined || isOnlyListed(filter) || counts?.capped === true
      ? undefined
      : counts?.[filter.status];
  const ids = () => runs.map(({ runId }) => runId);
  return (
    <>
      {hidden > 0 && (
        <button type="button" className={`${classes['new']} button primary`} onClick={showNew}>
          {hidden} new ↑
        </button>
      )}
      <RunTable
        list={list}
        hidden={hidden}
        total={total}
        load={load}
        sort={sort}
        sortBy={sortBy}
        isSelected={(run) => selection.isAll || selection.ids.has(run)}
        select={(run, withRange) =>
          change((before) => (withRange ? extended(before, run, ids()) : toggled(before, run)))
        }
        areAllSelected={runs.length > 0 && runs.every(({ runId }) => selection.ids.has(runId))}
        selectAll={() =>
          change(({ ids: { size } }) =>
            size === runs.length ? nothingSelected : { ...nothingSelected, ids: new Set(ids()) },
          )
        }
      />
      {selection.ids.size > 0 && (
        <BulkBar
          selection={selection}
          filter={filter}
          runs={runs}
          selectAll={() => change((before) => ({ ...before, isAll: true }))}
          clear={clear}
        />
      )}
    </>
  );
}

/** Returns the number of new rows that are not shown while the pointer or the focus is in the list. */
function useHiddenRows(runs: readonly RunLine[], holds: boolean) {
  const [top, setTop] = useState<string>();
  const newest = runs[0]?.runId;
  // Set while rendering, as the rows of this very rendering depend on it.
  if (holds && top === undefined && newest !== undefined) setTop(newest);
  if (!holds && top !== undefined) setTop(undefined);
  return {
    hidden:
      holds && top !== undefined
        ? Math.max(
            0,
            runs.findIndex(({ runId }) => runId === top),
          )
        : 0,
    showNew: () => {
      setTop(newest);
      window.scrollTo({ top: 0 });
    },
  };
}

function NoRuns({ isFiltered, clear }: { readonly isFiltered: boolean; readonly clear: () => void }) {
  if (!isFiltered)
    return (
      <Empty title="No run has been started yet.">
        <p>
          <Link to="/workflows/new">Write a workflow here</Link> and try it, or run a file:{' '}
          <ServerCommand>millrace run FILE --input "Rain"</ServerCommand>
        </p>
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

/** Distance from the top of the page beyond which the list does not move, in pixels. */
const readingFrom = 240;

/** Returns true while the pointer or the focus is in the list, or it is scrolled down; rows must not move then. */
function useHold() {
  const [isPointed, point] = useState(false);
  const [isFocused, focus] = useState(false);
  const [isScrolled, scroll] = useState(false);
  useEffect(() => {
    const onScroll = () => scroll(window.scrollY > readingFrom);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  return {
    holds: isPointed || isFocused || isScrolled,
    handlers: {
      onPointerEnter: ({ pointerType }: { readonly pointerType: string }) => point(pointerType === 'mouse'),
      onPointerLeave: () => point(false),
      onFocus: () => focus(true),
      onBlur: () => focus(false),
    },
  };
}
