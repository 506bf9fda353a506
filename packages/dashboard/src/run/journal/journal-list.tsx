import type { RunEvent } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Link2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useVirtualRows } from '../../kit/tables/virtual-table.tsx';
import { PlainText } from '../../kit/text/markdown.tsx';
import { formatInstant } from '../../kit/values/format.ts';
import { sentenceOf } from './event-sentence.ts';
import classes from './journal.module.css';

interface JournalListProps {
  readonly run: string;
  readonly events: readonly RunEvent[];
  /** Id of the event that is open from the start. */
  readonly open: string | undefined;
  /** Loads older events when the end is near; absent: a button loads them. */
  readonly more: { readonly isLoading: boolean; readonly load: (() => void) | undefined } | undefined;
}

/** Events, of which only those near the window are in the document. */
export function JournalList({ run, events, open, more }: JournalListProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set(open === undefined ? [] : [open]));
  const { body, rows, height, topOf, measure } = useVirtualRows<HTMLOListElement>({
    count: events.length,
    rowHeight: 32,
    keyOf: (index) => events[index]?.id ?? String(index),
  });
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= events.length - 20;
  useEffect(() => {
    if (isNearEnd && more?.isLoading === false) more.load?.();
  }, [isNearEnd, more]);
  const toggle = (id: string) =>
    setOpened((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  return (
    <ol ref={body} className={`${classes['list']} panel spaced`} style={{ height }} aria-label="Events">
      {rows.map((row) => {
        const event = events[row.index];
        return event === undefined ? null : (
          <li
            key={event.id}
            ref={measure}
            data-index={row.index}
            aria-posinset={row.index + 1}
            aria-setsize={more?.load === undefined ? events.length : -1}
            style={{ transform: `translateY(${topOf(row)}px)` }}
          >
            <Event run={run} event={event} isOpen={opened.has(event.id)} toggle={() => toggle(event.id)} />
          </li>
        );
      })}
    </ol>
  );
}

interface EventProps {
  readonly run: string;
  readonly event: RunEvent;
  readonly isOpen: boolean;
  readonly toggle: () => void;
}

/** Types of events that people look for. */
const tones: Readonly<Record<string, string>> = {
  'activation.failed': 'failed',
  'run.failing': 'failed',
  'activation.suspended': 'waiting',
  'activation.short': 'waiting',
};

function Event({ run, event, isOpen, toggle }: EventProps) {
  const { id, at, event: facts } = event;
  const Icon = isOpen ? ChevronDown : ChevronRight;
  return (
    <>
      <div className={classes['event']}>
        <button
          type="button"
          className="icon-button muted"
          aria-expanded={isOpen}
          aria-label={`JSON of event ${id}`}
          onClick={toggle}
        >
          <Icon aria-hidden size={14} />
        </button>
        <code className="cut muted">{id}</code>
        <time className="cut muted" dateTime={new Date(at).toISOString()}>
          {formatInstant(at)}
        </time>
        <code className="cut muted">{facts.type}</code>
        <span className={`${classes['sentence']} cut ink`} data-tone={tones[facts.type]}>
          {sentenceOf(event)}
        </span>
        <Link
          className="icon-button muted"
          to="/runs/$run/journal"
          params={{ run }}
          search={{ at: id }}
          aria-label={`Link to event ${id}`}
          title="The journal up to this event"
        >
          <Link2 aria-hidden size={14} />
        </Link>
      </div>
      {isOpen && (
        <div className={`${classes['json']} stack mono`}>
          <p className="row wrap">
            <Link to="/runs/$run/graph" params={{ run }} search={{ at: id }}>
              Graph after this event
            </Link>
            <Link to="/runs/$run/conversation" params={{ run }} search={{ at: id }}>
              Conversation
            </Link>
            <Link to="/runs/$run/money" params={{ run }} search={{ at: id }}>
              Money
            </Link>
            {'activation' in facts && (
              <Link to="/runs/$run/activations" params={{ run }} search={{ a: facts.activation }}>
                Activation {facts.activation}
              </Link>
            )}
          </p>
          <PlainText text={JSON.stringify(facts, undefined, 2)} />
        </div>
      )}
    </>
  );
}
