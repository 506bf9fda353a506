import { runStatuses } from '@millrace/core/run-status';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { lazy, useId, useRef, useState } from 'react';
import { Deferred } from '../../kit/controls/deferred.tsx';
import { showCurrent } from '../../kit/controls/tab-links.tsx';
import { useShortcut } from '../../kit/shortcuts/shortcuts.ts';
import { formatCount } from '../../kit/values/format.ts';
import type { RunStatus } from '../../kit/values/status.tsx';
import { FilterLabel } from './filter-label.tsx';
import type { RunFilter, TextField } from './run-filter.ts';
import { isOnlyListed, readSearchText, textFields } from './run-filter.ts';
import classes from './run-filters.module.css';
import type { SortColumn } from './run-order.ts';
import { useRunCounts } from './use-run-counts.ts';

const loadMenu = () => import('./filter-menu.tsx');
const FilterMenu = lazy(async () => ({ default: (await loadMenu()).FilterMenu }));

interface RunFiltersProps {
  readonly filter: RunFilter;
  readonly change: (filter: RunFilter) => void;
  /** Column that the list is sorted by, which other filters keep. */
  readonly sort: SortColumn | undefined;
}

/** The filter of the list of runs: statuses as tabs, a field for everything else, and the active filters as chips. */
export function RunFilters({ filter, change, sort }: RunFiltersProps) {
  const without = (name: TextField) => {
    const { [name]: _gone, ...others } = filter;
    change(others);
  };
  const chips = textFields.filter((name) => filter[name] !== undefined);
  return (
    <div className={`${classes['filters']} spaced row wrap`}>
      <StatusTabs filter={filter} sort={sort} />
      <FilterField apply={(part) => change({ ...filter, ...part })}>
        <Deferred
          load={loadMenu}
          button={(props) => (
            <button {...props} className="button" aria-haspopup="dialog">
              <FilterLabel />
            </button>
          )}
        >
          <FilterMenu filter={filter} change={change} />
        </Deferred>
      </FilterField>
      {chips.length > 0 && (
        <div className={`${classes['chips']} row wrap`}>
          {chips.map((name) => (
            <button
              key={name}
              type="button"
              className={`${classes['chip']} quiet-button`}
              onClick={() => without(name)}
            >
              <span>{labels[name]}:</span> <bdi>{filter[name]}</bdi> <X aria-hidden size={12} />
              <span className="visually-hidden">Clear the filter</span>
            </button>
          ))}
          <button type="button" className={`${classes['clear']} quiet-button muted`} onClick={() => change({})}>
            Clear all
          </button>
          {filter.q !== undefined && (
            <p className="muted small">
              Searched: ids, tags, names of workflows, and titles of up to 120 characters. Whole tasks and results:
              text:WORD.
            </p>
          )}
        </div>
      )}
    </div>
  );
}

const labels: Readonly<Record<TextField, string>> = {
  q: 'search',
  text: 'task or result with',
  workflow: 'workflow',
  version: 'version',
  stop: 'stopped by',
  tag: 'tag',
  of: 'replays and forks of',
  since: 'since',
  until: 'until',
};

/** What a status means, where its word does not say it; a run with a question may have other work meanwhile. */
const meanings: { readonly [S in RunStatus | 'asks']?: string } = {
  waiting: 'Nothing executes: an answer, a signal, a time or room in the budget is missing.',
  asks: 'A person is asked, whether the run waits for the answer or has other work.',
  stopping: 'Executing activations finish, then the run ends.',
  terminated: 'Stopped by a person, a budget or a condition of the workflow.',
};

/** Statuses as links, each with the number of its runs. */
function StatusTabs({ filter, sort }: Pick<RunFiltersProps, 'filter' | 'sort'>) {
  const { status, asks, ...others } = filter;
  const rest = { ...others, ...(sort && { sort }) };
  const { data } = useRunCounts(filter);
  // The numbers of more runs than the list has would contradict it.
  const counts = isOnlyListed(others) ? undefined : data;
  // It lasts for moments only.
  const isShown = (one: string) => one !== 'stopping' || status === one || (counts?.stopping ?? 0) > 0;
  const tabs = [
    { name: 'all', title: undefined, search: rest, count: undefined },
    ...runStatuses.filter(isShown).map((one) => ({
      name: one,
      title: meanings[one],
      search: { ...rest, status: one },
      count: counts?.[one],
    })),
    { name: 'with questions', title: meanings.asks, search: { ...rest, asks: true as const }, count: counts?.asks },
  ];
  return (
    <nav className={`${classes['tabs']} tabs`} aria-label="Status">
      {tabs.map(({ name, title, search, count = 0 }) => (
        <Link
          key={name}
          ref={showCurrent}
          to="/runs"
          title={title}
          search={search}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {name}{' '}
          {count > 0 && <small>{counts?.capped === true && count >= 10_000 ? '10,000+' : formatCount(count)}</small>}
        </Link>
      ))}
    </nav>
  );
}

interface FilterFieldProps {
  readonly apply: (part: RunFilter) => void;
  /** Button beside the field. */
  readonly children: ReactNode;
}

/** A field for words to search and exact filters, several at once; what it does not understand stays in it, with the reason. */
function FilterField({ apply, children }: FilterFieldProps) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const problemId = useId();
  const field = useRef<HTMLInputElement>(null);
  useShortcut('filter', () => field.current?.focus());
  return (
    <form
      className={classes['search']}
      onSubmit={(event) => {
        event.preventDefault();
        const read = readSearchText(text);
        if ('problem' in read) return setProblem(read.problem);
        apply(read.filter);
        setText('');
      }}
    >
      <div className="row">
        <input
          ref={field}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setProblem(undefined);
          }}
          onKeyDown={({ key }) => key === 'Escape' && field.current?.blur()}
          placeholder="Words, tag:WORD, workflow:NAME, since:24h"
          aria-label="Search runs by words, tag:WORD, workflow:NAME, status:failed, since:24h and until:2026-01-31"
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? undefined : problemId}
        />
        {children}
      </div>
      {problem !== undefined && (
        <p id={problemId} role="alert" className="note" data-tone="failed">
          {problem}
        </p>
      )}
    </form>
  );
}
