import { useState } from 'react';
import { useCaller } from '../api/use-caller.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Segmented } from '../kit/controls/choices.tsx';
import { Toolbar } from '../kit/layout/screen.tsx';
import { useIsNarrow } from '../kit/layout/use-is-narrow.ts';
import classes from './usage.module.css';
import type { Part, UsageSearch } from './usage-search.ts';
import { ranges } from './usage-search.ts';

interface UsageFiltersProps {
  readonly search: UsageSearch;
  readonly days: { readonly first: string; readonly last: string };
  readonly go: (next: UsageSearch) => void;
}

const stackings = { day: 'Day', workflow: 'Workflow', model: 'Model' } as const;

/** Choice of the days, of their grouping, and of the values of the chart; on phones, one line says what is chosen, and shows the choice. */
export function UsageFilters(props: UsageFiltersProps) {
  const { search: place, days } = props;
  const isNarrow = useIsNarrow();
  const [isOpen, open] = useState(false);
  return (
    <Toolbar end={<CopyAs of={copiedReport(place, days)} />}>
      {isNarrow && (
        <button type="button" className="fold" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          {chosenIn(place, days)}
        </button>
      )}
      {(!isNarrow || isOpen) && <Choices {...props} />}
    </Toolbar>
  );
}

/** Returns what is chosen, in words: `Cost by model · 30 days`. */
function chosenIn({ by, show, since = '30d', until }: UsageSearch, { first, last }: UsageFiltersProps['days']) {
  const range = until === undefined ? ranges[since as keyof typeof ranges] : undefined; // of another text, none
  return `${show === 'tokens' ? 'Tokens' : 'Cost'} by ${by ?? 'day'} · ${range ?? `${first} to ${last}`}`;
}

function Choices({ search: place, days, go }: UsageFiltersProps) {
  const { data: me } = useCaller();
  const options: Partial<Record<Part, string>> = me?.operator === true ? { ...stackings, tenant: 'Tenant' } : stackings;
  const { by = 'day', show, since, workflow, tenant } = place;
  const change = (next: { readonly [key in keyof UsageSearch]?: UsageSearch[key] | undefined }) => {
    const merged = Object.entries({ ...place, ...next }).filter(([, value]) => value !== undefined);
    go(Object.fromEntries(merged));
  };
  return (
    <>
      <Segmented
        label="Split by"
        options={options as Record<Part, string>} // those that the caller may see
        value={by as Part}
        choose={(one) => change({ by: one === 'day' ? undefined : one })}
      />
      <Segmented
        label="Show"
        options={{ cost: 'Cost', tokens: 'Tokens' }}
        value={show ?? 'cost'}
        choose={(one) => change({ show: one === 'tokens' ? one : undefined })}
      />
      <Segmented
        label="Days"
        options={ranges}
        value={(since ?? '30d') as keyof typeof ranges}
        choose={(one) => change({ since: one === '30d' ? undefined : one, until: undefined })}
      />
      <span className={`${classes['dates']} row wrap muted`}>
        <label>
          from{' '}
          <input
            type="date"
            value={days.first}
            max={days.last}
            onChange={({ target }) => target.value !== '' && change({ since: target.value, until: days.last })}
          />
        </label>
        <label>
          to{' '}
          <input
            type="date"
            value={days.last}
            min={days.first}
            onChange={({ target }) => target.value !== '' && change({ since: days.first, until: target.value })}
          />
        </label>
      </span>
      {(['workflow', 'tenant'] as const).map(
        (name) =>
          place[name] !== undefined && (
            <button key={name} type="button" className="button" onClick={() => change({ [name]: undefined })}>
              {name}: {name === 'workflow' ? workflow : tenant} ×
            </button>
          ),
      )}
    </>
  );
}

/** Returns the report as a command and as a request, for copying. */
const copiedReport = ({ by: split, workflow, tenant }: UsageSearch, { first, last }: UsageFiltersProps['days']) =>
  copyOf('usage.read', {
    by: split ?? 'day',
    since: first,
    until: last,
    ...(workflow === undefined ? {} : { workflow }),
    ...(tenant === undefined ? {} : { tenant }),
  });
