import type { RunEvent, RunHandle } from '@millrace/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useMemo, useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { FilterSelect } from '../../kit/controls/choices.tsx';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Partial } from '../../kit/states/notes.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { saveText } from '../../kit/values/save-text.ts';
import { useNewestEvents } from '../follow/use-newest-events.ts';
import { JournalList } from './journal-list.tsx';
import type { JournalSearch } from './journal-search.ts';

/** The events of a run, newest first, as sentences and as JSON. */
export function JournalTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const search = useSearch({ from: '/runs/$run/journal' });
  const navigate = useNavigate({ from: '/runs/$run/journal' });
  const types = useMemo(() => typesOf(search.type), [search.type]);
  const { events, error, isLoading, loadMore, retry } = useNewestEvents(run, { from: search.at, types });
  const chosen = useMemo(() => chooseEvents(events ?? [], search), [events, search]);
  if (error !== null && events === undefined) return <Problem error={error} retry={retry} />;
  if (events === undefined) return <Skeleton rows={12} />;
  const change = (changed: JournalSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const isFiltered = search.type !== undefined || search.activation !== undefined;
  const looked = `${formatCount(events.length)} events${loadMore === undefined ? '' : ' so far'}`;
  return (
    <>
      <Problem error={error} retry={retry} />
      <Toolbar
        end={
          <>
            <span>{search.activation === undefined ? looked : `${formatCount(chosen.length)} of ${looked}`}</span>
            <SaveJournal run={millrace.runs.get(run)} />
          </>
        }
      >
        <FilterSelect
          label="Type"
          value={search.type}
          options={groups.map((value) => ({ value }))}
          choose={(type) => change({ type })}
        />
        <ActivationFilter value={search.activation} choose={(activation) => change({ activation })} />
        {search.at !== undefined && (
          <button type="button" className="button" onClick={() => change({ at: undefined })}>
            Show the newest events
          </button>
        )}
      </Toolbar>
      {chosen.length === 0 && (
        <Empty
          title={loadMore === undefined ? 'No event matches these filters.' : 'None of the newest events matches.'}
        >
          {isFiltered && (
            <button type="button" className="button" onClick={() => change({ type: undefined, activation: undefined })}>
              Clear all filters
            </button>
          )}
        </Empty>
      )}
      {chosen.length > 0 && (
        <JournalList
          run={run}
          events={chosen}
          open={search.at}
          more={search.activation === undefined ? { isLoading, load: loadMore } : undefined}
        />
      )}
      {loadMore !== undefined && (search.activation !== undefined || chosen.length === 0) && !isLoading && (
        <Partial looked={events.length} found={chosen.length} noun="events" goOn={loadMore} />
      )}
      {isLoading && <Skeleton rows={3} />}
    </>
  );
}

/** Returns the types of events of a filter: one, or all of a group. */
function typesOf(filter: string | undefined): readonly string[] | undefined {
  if (filter === undefined) return undefined;
  return [filter.includes('.') ? filter : `${filter}.*`];
}

interface ActivationFilterProps {
  readonly value: string | undefined;
  readonly choose: (activation: string | undefined) => void;
}

/** A field for the id of an activation. */
function ActivationFilter({ value, choose }: ActivationFilterProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get('activation')).trim();
        choose(/^a\d+$/.test(text) ? text : undefined);
      }}
    >
      <input
        key={value}
        className="button"
        name="activation"
        defaultValue={value ?? ''}
        placeholder="Activation, as in a12"
        aria-label="Activation, as in a12"
      />
    </form>
  );
}

/** Groups of types of events that a journal is filtered by. */
const groups = [
  'run',
  'graph',
  'cycle',
  'fanout',
  'activation',
  'activation.completed',
  'activation.failed',
  'activation.suspended',
  'activation.answered',
  'step',
  'step.completed',
  'files',
  'signal',
  'termination',
] as const;

/** Returns the events of an activation, or all without one. */
const chooseEvents = (
  events: readonly RunEvent[],
  { activation }: Pick<JournalSearch, 'activation'>,
): readonly RunEvent[] =>
  activation === undefined
    ? events
    : events.filter(({ event }) => 'activation' in event && event.activation === activation);

/** Downloads all events of a run as lines of JSON. */
function SaveJournal({ run }: { readonly run: RunHandle }) {
  const [loaded, setLoaded] = useState<number>();
  const [hasFailed, setFailed] = useState(false);
  const save = async () => {
    setFailed(false);
    setLoaded(0);
    try {
      const lines: string[] = [];
      for await (const event of run.journal()) {
        lines.push(`${JSON.stringify(event)}\n`);
        if (lines.length % 1_000 === 0) setLoaded(lines.length);
      }
      saveText(`${run.id}.jsonl`, new Blob(lines, { type: 'application/x-ndjson' }));
    } catch {
      setFailed(true);
    }
    setLoaded(undefined);
  };
  return (
    <button type="button" className="button" disabled={loaded !== undefined} onClick={() => void save()}>
      <Download aria-hidden size={14} />
      {loaded !== undefined ? `${formatCount(loaded)} events` : hasFailed ? 'Failed: download again' : 'Download JSONL'}
    </button>
  );
}
