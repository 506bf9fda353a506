import type { RunEvent } from '@millrace/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatClock } from '../../kit/values/format.ts';
import classes from './journal-tab.module.css';

/** The events of a run in order. */
export function JournalTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', run, 'journal'],
    queryFn: ({ pageParam }) => millrace.runs.get(run).journal().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={10} />;
  return (
    <>
      <ol className={classes['journal']}>
        {data.pages
          .flatMap((page) => page.data)
          .map((event) => (
            <Event key={event.id} event={event} />
          ))}
      </ol>
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more events
        </button>
      )}
    </>
  );
}

function Event({ event: { id, at, event } }: { readonly event: RunEvent }) {
  const { type, ...facts } = event;
  return (
    <li>
      <code className={classes['id']}>{id}</code>
      <time dateTime={new Date(at).toISOString()}>{formatClock(at)}</time>
      <strong>{type}</strong>
      <code className={classes['facts']}>{JSON.stringify(facts)}</code>
    </li>
  );
}
