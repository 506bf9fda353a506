import { exactText } from '@millrace/core/visible-text';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleHelp, CircleX, UserRound, Wrench } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { ErrorCode } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/markdown.tsx';
import { formatClock, formatMoment } from '../../kit/values/format.ts';
import { Prose, plainProse } from '../../kit/values/prose.tsx';
import classes from './conversation.module.css';
import type { CallsEntry, DecisionEntry, Entry, MessageEntry } from './conversation.ts';
import { toneOfName } from './tone-of-name.ts';

interface ConversationEntryProps {
  readonly run: string;
  readonly entry: Entry;
  /** The same activation spoke before: its name is not repeated. */
  readonly isContinued: boolean;
  readonly show: (activation: string) => void;
}

/** One entry of a conversation: its speaker, its time and its text. */
export function ConversationEntry({ run, entry, isContinued, show }: ConversationEntryProps) {
  const isPerson = entry.type === 'message' && entry.isPerson;
  return (
    <article
      className={`${classes['entry']} ${isPerson ? classes['person'] : ''} ${isContinued ? classes['continued'] : ''}`}
    >
      {isContinued ? <span /> : <Initial entry={entry} isPerson={isPerson} />}
      <div>
        {!isContinued && <Head entry={entry} isPerson={isPerson} show={show} />}
        <Body run={run} entry={entry} />
      </div>
    </article>
  );
}

const Initial = ({ entry, isPerson }: { readonly entry: Entry; readonly isPerson: boolean }) => (
  <span
    className={`${classes['initial']} center ${isPerson ? classes['human'] : 'tinted'}`}
    data-tone={toneOfName(entry.source)}
    aria-hidden
  >
    {isPerson ? <UserRound size={15} /> : [...entry.source][0]?.toUpperCase()}
  </span>
);

interface HeadProps {
  readonly entry: Entry;
  readonly isPerson: boolean;
  readonly show: (activation: string) => void;
}

function Head({ entry, isPerson, show }: HeadProps) {
  const { activation, at, iteration, unit, graph, source } = entry;
  const by = entry.type === 'message' ? entry.by : undefined;
  const name = source === 'TASK' ? 'Task' : source;
  return (
    <p className={`${classes['head']} row wrap muted small`}>
      <strong>{isPerson && source !== 'TASK' ? (by ?? 'Person') : name}</strong>
      {isPerson && source !== 'TASK' && <span>to {name}</span>}
      {graph !== '' && <span>{graph}</span>}
      {iteration !== undefined && <span>iteration {iteration}</span>}
      {unit !== undefined && <span>unit {unit + 1}</span>}
      <time dateTime={new Date(at).toISOString()} title={formatMoment(at)}>
        {formatClock(at)}
      </time>
      {activation !== undefined && (
        <button type="button" onClick={() => show(activation)} aria-label={`Open activation ${activation} of ${name}`}>
          {activation}
        </button>
      )}
    </p>
  );
}

function Body({ run, entry }: { readonly run: string; readonly entry: Entry }) {
  switch (entry.type) {
    case 'message':
      return <Message run={run} entry={entry} />;
    case 'question':
      return (
        <div className={`${classes['question']} note`} data-tone="waiting">
          <CircleHelp aria-hidden size={15} />
          <FoldedText text={entry.prompt} isPlain={entry.isPlain === true} />
        </div>
      );
    case 'decision':
      return <Decision entry={entry} />;
    case 'calls':
      return <Calls names={entry.names} />;
    case 'failure':
      return (
        <div className={`${classes['question']} note`} data-tone="failed">
          <CircleX aria-hidden size={15} />
          <div>
            <ErrorCode code={entry.code} /> <FoldedText text={plainProse(entry.message)} isPlain />
          </div>
        </div>
      );
  }
}

const decisionWords = { approve: 'Approved', reject: 'Rejected', expire: 'Not decided on in time: rejected' } as const;

/** The decision on a call of a tool, and what differs from the call that was asked about. */
const Decision = ({ entry: { decision, by, sent, reason } }: { readonly entry: DecisionEntry }) => (
  <div className={`${classes['question']} note`} data-tone={decision === 'approve' ? 'completed' : 'failed'}>
    {decision === 'approve' ? <CircleCheck aria-hidden size={15} /> : <CircleX aria-hidden size={15} />}
    <div>
      {decisionWords[decision]}
      {by !== undefined && ` by ${by}`}
      {sent !== undefined && (
        <>
          {' '}
          with <code>{exactText(sent)}</code>
        </>
      )}
      {reason !== undefined && <FoldedText text={reason} isPlain />}
    </div>
  </div>
);

/** Tests if the beginning of a text is the whole text. */
const isWhole = (head: string | undefined): head is string => head !== undefined && !head.endsWith('…');

/** Bytes of a long message that are loaded before the button for the whole message. */
const startBytes = 32_768;

function Message({ run, entry: { message, head } }: { readonly run: string; readonly entry: MessageEntry }) {
  const [isAllWanted, wantAll] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: ['run', run, 'message', message, isAllWanted ? 'whole' : 'start'],
    queryFn: ({ signal }) => {
      const handle = millrace.runs.get(run);
      return isAllWanted ? handle.text(message, { signal }) : handle.textStart(message, startBytes, { signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 'static',
    enabled: !isWhole(head),
  });
  if (error !== null)
    return (
      <p className="note" data-tone="failed">
        <Prose text={error.message} />
      </p>
    );
  const text = isWhole(head) ? head : (data ?? head);
  if (text === undefined) return <p className="muted">…</p>;
  if (text === '') return <p className="muted">(empty)</p>;
  // A text that fills its loaded part is longer, except for one character that was cut.
  const isCut = !isAllWanted && !isWhole(head) && new TextEncoder().encode(text).length > startBytes - 4;
  return (
    <>
      <FoldedText text={text} isStart={isCut} />
      {(isCut || (isAllWanted && isFetching)) && (
        <button type="button" className="button" disabled={isFetching} onClick={() => wantAll(true)}>
          {isFetching ? 'Loading …' : 'Load the whole message'}
        </button>
      )}
    </>
  );
}

const Calls = ({ names }: Pick<CallsEntry, 'names'>) => (
  <details className={`${classes['calls']} muted`}>
    <summary>
      <Wrench aria-hidden size={13} /> {names.length === 1 ? names[0] : `${names.length} calls`}
    </summary>
    <ul>
      {names.map((name, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls of the same name differ by their place alone
        <li key={at}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  </details>
);
