import { X } from 'lucide-react';
import { useState } from 'react';
import type { RunFilter } from './run-filter.ts';
import { statuses } from './run-filter.ts';
import classes from './run-filters.module.css';

interface RunFiltersProps {
  readonly filter: RunFilter;
  readonly change: (filter: RunFilter) => void;
}

/** The filter of the list of runs: statuses as tabs, workflow and tag as text, what is set as chips. */
export function RunFilters({ filter, change }: RunFiltersProps) {
  const { status, ...rest } = filter;
  const without = (name: 'workflow' | 'tag') => {
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
          </button>
        ))}
      </fieldset>
      <div className={classes['chips']}>
        {(['workflow', 'tag'] as const).map((name) =>
          filter[name] === undefined ? null : (
            <button key={name} type="button" className={classes['chip']} onClick={() => without(name)}>
              {name}: {filter[name]} <X aria-hidden size={12} />
              <span className="visually-hidden">Clear the filter</span>
            </button>
          ),
        )}
        <FilterText apply={(name, value) => change({ ...filter, [name]: value })} />
      </div>
    </div>
  );
}

/** A field that takes `tag:WORD`, or the name of a workflow. */
function FilterText({ apply }: { readonly apply: (name: 'workflow' | 'tag', value: string) => void }) {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const [, tag] = /^tag:\s*(.+)$/.exec(text.trim()) ?? [];
        if (tag !== undefined) apply('tag', tag);
        else if (text.trim() !== '') apply('workflow', text.trim());
        setText('');
      }}
    >
      <input
        className={classes['text']}
        value={text}
        onChange={({ target }) => setText(target.value)}
        placeholder="Workflow, or tag:WORD"
        aria-label="Filter by workflow, or by tag:WORD"
      />
    </form>
  );
}
