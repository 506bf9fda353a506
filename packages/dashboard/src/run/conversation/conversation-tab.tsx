import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowDown } from 'lucide-react';
import { useMemo } from 'react';
import { FilterSelect } from '../../kit/controls/filter-select.tsx';
import { Toolbar } from '../../kit/layout/toolbar.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { ActivationDrawer } from '../activations/activation-drawer.tsx';
import { useNewestEvents } from '../events/use-newest-events.ts';
import { useGraphs } from '../use-graphs.ts';
import type { Entry } from './conversation.ts';
import { conversationOf, spokenTypes } from './conversation.ts';
import { ConversationList } from './conversation-list.tsx';
import type { ConversationPlace } from './conversation-place.ts';
import { chooseEntries } from './conversation-place.ts';
import { LiveSpeech } from './live-speech.tsx';
import { PastBand } from './past-band.tsx';

/** The agents and people of a run as a chat. */
export function ConversationTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const place = useSearch({ from: '/runs/$run/conversation' });
  const navigate = useNavigate({ from: '/runs/$run/conversation' });
  const { at } = place;
  const { events, error, isLoading, loadMore, retry } = useNewestEvents(run, { from: at, types: spokenTypes });
  const { data: graphs } = useGraphs(run);
  const conversation = useMemo(
    () => (events === undefined || graphs === undefined ? undefined : conversationOf(events.toReversed(), graphs)),
    [events, graphs],
  );
  if (error !== null && conversation === undefined) return <Problem error={error} retry={retry} />;
  if (conversation === undefined || graphs === undefined) return <Skeleton rows={8} />;
  const entries = chooseEntries(conversation.entries, place);
  const change = (changed: ConversationPlace) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const isFiltered = place.node !== undefined || place.turn !== undefined;
  return (
    <>
      <Problem error={error} retry={retry} />
      <Filters entries={conversation.entries} hidden={conversation.hidden} place={place} change={change} />
      {at !== undefined && <PastBand run={run} at={at} leave={() => change({ at: undefined })} />}
      {loadMore !== undefined && (
        <button type="button" className="button" disabled={isLoading} onClick={loadMore}>
          {isLoading ? 'Loading …' : 'Load what was said before'}
        </button>
      )}
      {entries.length === 0 && loadMore === undefined && (
        <Empty title={isFiltered ? 'Nothing that was said matches these filters.' : 'Nothing has been said yet.'}>
          {isFiltered && (
            <button type="button" className="button" onClick={() => change({ node: undefined, turn: undefined })}>
              Clear all filters
            </button>
          )}
        </Empty>
      )}
      {entries.length > 0 && <ConversationList run={run} entries={entries} show={(a) => change({ a })} />}
      {at === undefined && <LiveSpeech run={run} graphs={graphs} node={place.node} />}
      {place.a !== undefined && <ActivationDrawer run={run} activation={place.a} show={(a) => change({ a })} />}
    </>
  );
}

interface FiltersProps {
  readonly entries: readonly Entry[];
  readonly hidden: number;
  readonly place: ConversationPlace;
  readonly change: (changed: ConversationPlace) => void;
}

function Filters({ entries, hidden, place, change }: FiltersProps) {
  const nodes = [...new Set(entries.flatMap(({ source }) => (source === 'TASK' ? [] : [source])))];
  const turns = [...new Set(entries.flatMap(({ turn }) => (turn === undefined ? [] : [turn])))];
  return (
    <Toolbar
      end={
        <>
          {hidden > 0 && (
            <span title="Their nodes or the log level of their graph say so.">
              {formatCount(hidden)} hidden by the author
            </span>
          )}
          <button
            type="button"
            className="button"
            onClick={() => window.scrollTo({ top: document.documentElement.scrollHeight })}
          >
            <ArrowDown aria-hidden size={14} /> Newest
          </button>
        </>
      }
    >
      <FilterSelect
        label="Node"
        value={place.node}
        options={nodes.map((value) => ({ value }))}
        choose={(node) => change({ node })}
      />
      {turns.length > 0 && (
        <FilterSelect
          label="Turn"
          value={place.turn?.toString()}
          options={turns.map((turn) => ({ value: String(turn) }))}
          choose={(turn) => change({ turn: turn === undefined ? undefined : Number(turn) })}
        />
      )}
    </Toolbar>
  );
}
