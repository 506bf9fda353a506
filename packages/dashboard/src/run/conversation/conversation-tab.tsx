import type { RunGraphs } from '@millrace/client';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ArrowDown } from 'lucide-react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { FilterSelect } from '../../kit/controls/choices.tsx';
import { Toolbar } from '../../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { useVirtualRows } from '../../kit/tables/virtual-table.tsx';
import { PlainText } from '../../kit/text/markdown.tsx';
import { formatCount } from '../../kit/values/format.ts';
import { ActivationDrawer } from '../activations/activation-drawer.tsx';
import type { LiveOutput } from '../follow/live-outputs.ts';
import { logOf } from '../follow/run-logs.ts';
import { useGraphs } from '../follow/use-graphs.ts';
import { useNewestEvents } from '../follow/use-newest-events.ts';
import classes from './conversation.module.css';
import type { Entry } from './conversation.ts';
import { conversationOf, spokenTypes } from './conversation.ts';
import { ConversationEntry } from './conversation-entry.tsx';
import type { ConversationSearch } from './conversation-search.ts';
import { chooseEntries } from './conversation-search.ts';
import { PastBand } from './past-band.tsx';
import { toneOfName } from './tone-of-name.ts';

/** The agents and people of a run as a chat. */
export function ConversationTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const search = useSearch({ from: '/runs/$run/conversation' });
  const navigate = useNavigate({ from: '/runs/$run/conversation' });
  const { at } = search;
  const { events, error, isLoading, loadMore, retry } = useNewestEvents(run, { from: at, types: spokenTypes });
  const { data: graphs } = useGraphs(run);
  const conversation = useMemo(
    () => (events === undefined || graphs === undefined ? undefined : conversationOf(events.toReversed(), graphs)),
    [events, graphs],
  );
  if (error !== null && conversation === undefined) return <Problem error={error} retry={retry} />;
  if (conversation === undefined || graphs === undefined) return <Skeleton rows={8} />;
  const entries = chooseEntries(conversation.entries, search);
  const change = (changed: ConversationSearch) =>
    void navigate({ search: (before) => ({ ...before, ...changed }), replace: true, resetScroll: false });
  const isFiltered = search.node !== undefined || search.iteration !== undefined;
  return (
    <>
      <Problem error={error} retry={retry} />
      <Filters entries={conversation.entries} hidden={conversation.hidden} search={search} change={change} />
      {at !== undefined && <PastBand run={run} at={at} leave={() => change({ at: undefined })} />}
      {loadMore !== undefined && (
        <button type="button" className="button" disabled={isLoading} onClick={loadMore}>
          {isLoading ? 'Loading …' : 'Load what was said before'}
        </button>
      )}
      {entries.length === 0 && loadMore === undefined && (
        <Empty title={isFiltered ? 'Nothing that was said matches these filters.' : 'Nothing has been said yet.'}>
          {isFiltered && (
            <button type="button" className="button" onClick={() => change({ node: undefined, iteration: undefined })}>
              Clear all filters
            </button>
          )}
        </Empty>
      )}
      {entries.length > 0 && (
        <ConversationList
          run={run}
          entries={entries}
          // What is there of a long one is its end.
          beginsAtEnd={loadMore !== undefined && at === undefined}
          show={(a) => change({ a })}
        />
      )}
      {at === undefined && <LiveSpeech run={run} graphs={graphs} node={search.node} />}
      {search.a !== undefined && <ActivationDrawer run={run} activation={search.a} show={(a) => change({ a })} />}
    </>
  );
}

interface FiltersProps {
  readonly entries: readonly Entry[];
  readonly hidden: number;
  readonly search: ConversationSearch;
  readonly change: (changed: ConversationSearch) => void;
}

function Filters({ entries, hidden, search: place, change }: FiltersProps) {
  const nodes = [...new Set(entries.flatMap(({ source }) => (source === 'TASK' ? [] : [source])))];
  const iterations = [...new Set(entries.flatMap(({ iteration }) => (iteration === undefined ? [] : [iteration])))];
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
      {iterations.length > 0 && (
        <FilterSelect
          label="Iteration"
          value={place.iteration?.toString()}
          options={iterations.map((iteration) => ({ value: String(iteration) }))}
          choose={(iteration) => change({ iteration: iteration === undefined ? undefined : Number(iteration) })}
        />
      )}
    </Toolbar>
  );
}

interface ConversationListProps {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly beginsAtEnd: boolean;
  /** Opens an activation. */
  readonly show: (activation: string) => void;
}

/** The parts of a conversation, of which only those near the window are in the document. */
function ConversationList({ run, entries, beginsAtEnd, show }: ConversationListProps) {
  const { body, rows, height, topOf, measure, scrollTo } = useVirtualRows<HTMLOListElement>({
    count: entries.length,
    rowHeight: 76,
    keyOf: (index) => `${entries[index]?.event} ${index}`,
  });
  const [begins] = useState(beginsAtEnd);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it begins there, and then scrolls no more by itself
  useEffect(() => {
    if (begins) scrollTo(entries.length - 1, 'end');
  }, [begins]);
  return (
    <ol ref={body} className={classes['list']} style={{ height }} aria-label="Conversation">
      {rows.map((row) => {
        const entry = entries[row.index];
        return entry === undefined ? null : (
          <li
            key={row.key}
            ref={measure}
            data-index={row.index}
            aria-posinset={row.index + 1}
            aria-setsize={entries.length}
            style={{ transform: `translateY(${topOf(row)}px)` }}
          >
            <ConversationEntry
              run={run}
              entry={entry}
              isContinued={isSame(entry, entries[row.index - 1])}
              show={show}
            />
          </li>
        );
      })}
    </ol>
  );
}

/** Tests if the same node continues in the same activation. */
const isSame = (entry: Entry, before: Entry | undefined): boolean =>
  before !== undefined &&
  entry.activation !== undefined &&
  entry.activation === before.activation &&
  isOfPerson(entry) === isOfPerson(before);

const isOfPerson = (entry: Entry): boolean => entry.type === 'message' && entry.isPerson;

/** Activations whose words are shown as they come. */
const mostSpeakers = 5;
/** Characters of the newest words that are shown. */
const shown = 4_000;

interface LiveSpeechProps {
  readonly run: string;
  readonly graphs: RunGraphs;
  /** Id of the only node that is shown; absent: all. */
  readonly node: string | undefined;
}

/** Live output of executing agents. Screen readers do not announce it; they announce the complete output. */
function LiveSpeech({ run, graphs, node }: LiveSpeechProps) {
  const { liveOutputs } = logOf(run);
  const outputs = useSyncExternalStore(liveOutputs.subscribe, liveOutputs.all);
  const isDiscreet = (id: string) =>
    graphs.graphs.some(({ nodes }) => nodes.some((one) => one.id === id && one.discreet === true));
  const speakers = [...outputs].filter(
    ([, output]) => (node === undefined || output.node === node) && !isDiscreet(output.node),
  );
  return (
    <div className={classes['speech']} aria-live="off">
      {speakers.slice(0, mostSpeakers).map(([activation, output]) => (
        <AgentOutput key={activation} activation={activation} output={output} />
      ))}
    </div>
  );
}

interface SpeechProps {
  readonly activation: string;
  readonly output: LiveOutput;
}

function AgentOutput({ activation, output: { node: name, text } }: SpeechProps) {
  return (
    <div className={classes['entry']}>
      <span className={`${classes['initial']} center tinted`} data-tone={toneOfName(name)} aria-hidden>
        {[...name][0]?.toUpperCase()}
      </span>
      <div>
        <p className={`${classes['head']} row wrap muted small`}>
          <strong>{name}</strong>
          <span>{text === '' ? 'is working' : 'speaks'}</span>
          <code>{activation}</code>
        </p>
        <div className={classes['caret']}>
          <PlainText text={text.length > shown ? `…${text.slice(-shown)}` : text} />
        </div>
      </div>
    </div>
  );
}
