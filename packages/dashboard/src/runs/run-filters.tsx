import { X } from 'lucide-react';
import { useState } from 'react';
import { formatCount } from '../kit/values/format.ts';
import type { RunFilter } from './run-filter.ts';
import { statuses } from './run-filter.ts';
import classes from './run-filters.module.css';
import { useRunCounts } from './use-runs.ts';

const chips = ['q', 'workflow', 'tag'] as const;
/** Part of a filter that is shown with a button to clear it. */
type Chip = (typeof chips)[number];

interface RunFiltersProps {
  readonly filter: RunFilter;
  readonly change: (filter: RunFilter) => void;
}

/** The filter of the list of runs: statuses as tabs, search, workflow and tag as text, what is set as chips. */
export function RunFilters({ filter, change }: RunFiltersProps) {
  const { status, ...rest } = filter;
  const { data: counts } = useRunCounts(filter);
  const without = (name: Chip) => {
    const { [name]: _gone, ...others } = filter;
    change(others);
  };
  return (
    <div className={classes['filters']}>
      <fieldset className={classes['tabs']}>
        <legend className="visually-hidden">Status</legend>
        {[undefined, ...statuses].map((one) => (
          <button
            key={one ?? 'all'}
            type="button"
            aria-pressed={status === one}
            onClick={() => change(one === undefined ? rest : { ...rest, status: one })}
          >
            {one ?? 'all'}
            {one !== undefined && counts !== undefined && counts[one] > 0 && <small>{formatCount(counts[one])}</small>}
          </button>
        ))}
      </fieldset>
      <div className={classes['chips']}>
        {chips.map((name) =>
          filter[name] === undefined ? null : (
            <button key={name} type="button" className={classes['chip']} onClick={() => without(name)}>
              {name === 'q' ? 'search' : name}: {filter[name]} <X aria-hidden size={12} />
              <span className="visually-hidden">Clear the filter</span>
            </button>
          ),
        )}
        <FilterText apply={(name, value) => change({ ...filter, [name]: value })} />
      </div>
    </div>
  );
}

/** A field for words to search; `tag:WORD` and `workflow:NAME` filter exactly. */
function FilterText({ apply }: { readonly apply: (name: Chip, value: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const [, name, value] = /^(tag|workflow):\s*(.+)$/.exec(text.trim()) ?? [];
        if (value !== undefined)
          apply(name as Chip, value); // the pattern names two of them
        else if (text.trim() !== '') apply('q', text.trim());
        setText('');
      }}
    >
      <input
        className={classes['text']}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder="Search, tag:WORD, workflow:NAME"
        aria-label="Search runs, or filter by tag:WORD or workflow:NAME"
      />
    </form>
  );
}
