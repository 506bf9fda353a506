import { Popover } from '@base-ui/react/popover';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { offeredWorkflowsQuery } from '../../api/workflow-queries.ts';
import { Field } from '../../kit/controls/field.tsx';
import form from '../../kit/controls/form.module.css';
import { FilterLabel } from './filter-label.tsx';
import classes from './filter-menu.module.css';
import type { RunFilter } from './run-filter.ts';

interface FilterMenuProps {
  readonly filter: RunFilter;
  readonly change: (filter: RunFilter) => void;
}

/** Button with a form for the filters of the list of runs, for those who do not know their names. Opens as soon as it is loaded. */
export function FilterMenu({ filter, change }: FilterMenuProps) {
  const [isOpen, open] = useState(true);
  return (
    <Popover.Root open={isOpen} onOpenChange={open}>
      <Popover.Trigger className="button">
        <FilterLabel />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className={classes['positioner']} sideOffset={6} align="end">
          <Popover.Popup className={`${classes['popup']} panel`} aria-label="Filters">
            <FilterForm
              filter={filter}
              apply={(changed) => {
                open(false);
                change(changed);
              }}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Beginnings of a list in words. */
const beginnings = {
  '1h': 'in the last hour',
  '24h': 'in the last 24 hours',
  '7d': 'in the last 7 days',
  '30d': 'in the last 30 days',
} as const;

/** Filters that the form has. */
const formFields = ['workflow', 'tag', 'since', 'until', 'text', 'of'] as const;

/** The filters of a form; empty ones are off. */
type Draft = Readonly<Record<(typeof formFields)[number], string>>;

interface FilterFormProps {
  readonly filter: RunFilter;
  readonly apply: (filter: RunFilter) => void;
}

function FilterForm({ filter, apply }: FilterFormProps) {
  const [draft, write] = useState<Draft>(() => draftOf(filter));
  const { data } = useQuery(offeredWorkflowsQuery);
  const names = [...new Set([...(data?.workflows ?? []).map(({ name }) => name), ...[draft.workflow].filter(Boolean)])];
  const times = [...new Set([...Object.keys(beginnings), ...[draft.since].filter(Boolean)])];
  const set = (part: Partial<Draft>) => write({ ...draft, ...part });
  const line = (name: 'tag' | 'until' | 'text' | 'of', label: string, hint?: string) => (
    <Field label={label} hint={hint}>
      {(ids) => (
        <input
          {...ids}
          type={name === 'until' ? 'date' : 'text'}
          value={draft[name]}
          onChange={({ target }) => set({ [name]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <form
      className="stack"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        // It is in the form of the search field, which would apply its own text.
        event.stopPropagation();
        apply(filterOf(filter, draft));
      }}
    >
      <Field label="Workflow">
        {(ids) => (
          <select {...ids} value={draft.workflow} onChange={({ target }) => set({ workflow: target.value })}>
            <option value="">any</option>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {line('text', 'Task or result contains', 'One or more words; whole texts are searched.')}
      <Field label="Started">
        {(ids) => (
          <select {...ids} value={draft.since} onChange={({ target }) => set({ since: target.value })}>
            <option value="">at any time</option>
            {times.map((time) => (
              <option key={time} value={time}>
                {(beginnings as Readonly<Record<string, string>>)[time] ?? `since ${time}`}
              </option>
            ))}
          </select>
        )}
      </Field>
      {line('until', 'Started before')}
      {line('tag', 'Tag')}
      {line('of', 'Replays and forks of', 'Id of a run.')}
      <div className={`${form['buttons']} row wrap`}>
        <button type="button" className="button" onClick={() => apply({})}>
          Clear all
        </button>
        <button type="submit" className="button primary">
          Show runs
        </button>
      </div>
    </form>
  );
}

const draftOf = (filter: RunFilter): Draft => ({
  workflow: filter.workflow ?? '',
  tag: filter.tag ?? '',
  since: filter.since ?? '',
  until: filter.until ?? '',
  text: filter.text ?? '',
  of: filter.of ?? '',
});

/** Returns a filter with the fields of a form; what the form does not have stays. */
function filterOf(filter: RunFilter, draft: Draft): RunFilter {
  const { workflow: _workflow, tag: _tag, since: _since, until: _until, text: _text, of: _of, ...others } = filter;
  const set = formFields.flatMap((name) => (draft[name].trim() === '' ? [] : [[name, draft[name].trim()]]));
  return { ...others, ...Object.fromEntries(set) };
}
