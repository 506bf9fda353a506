import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { FoldedText } from '../../kit/text/folded-text.tsx';
import { formatClock } from '../../kit/values/format.ts';
import { useGraphs } from '../use-graphs.ts';
import { useJournal } from '../use-journal.ts';
import type { SaidMessage } from './conversation.ts';
import { conversationOf } from './conversation.ts';
import classes from './conversation-tab.module.css';

/** Messages that are shown before somebody asks for more. */
const pageSize = 100;

/** Messages of agents and people, in order. */
export function ConversationTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data: journal, error, refetch } = useJournal(run);
  const { data: graphs } = useGraphs(run);
  const [shown, show] = useState(pageSize);
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (journal === undefined || graphs === undefined) return <Skeleton rows={8} />;
  const all = conversationOf(journal.events, graphs);
  if (all.length === 0) return <Empty title="Nothing has been said yet." />;
  return (
    <>
      <ol className={classes['conversation']}>
        {all.slice(0, shown).map((one) => (
          <Message key={`${one.message}-${one.source}`} run={run} said={one} />
        ))}
      </ol>
      {all.length > shown && (
        <button type="button" className="button" onClick={() => show(shown + pageSize)}>
          Show more of {all.length} messages
        </button>
      )}
    </>
  );
}

function Message({ run, said }: { readonly run: string; readonly said: SaidMessage }) {
  const { message, source, role, at, activation } = said;
  const { data, error } = useQuery({
    queryKey: ['run', run, 'message', message],
    queryFn: () => millrace.runs.get(run).text(message),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <li className={classes[role === 'user' ? 'person' : 'agent']}>
      <span className={classes['initial']} aria-hidden>
        {source.slice(0, 1).toUpperCase()}
      </span>
      <div>
        <p className={classes['head']}>
          <strong>{source === 'TASK' ? 'Task' : source}</strong>
          <time dateTime={new Date(at).toISOString()}>{formatClock(at)}</time>
          {activation !== undefined && <code>{activation}</code>}
        </p>
        {error !== null && <p>{error.message}</p>}
        {data === undefined ? <p className={classes['loading']}>…</p> : <FoldedText text={data} />}
      </div>
    </li>
  );
}
