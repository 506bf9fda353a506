import type { Activation } from '@millrace/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatClock, formatDuration } from '../../kit/values/format.ts';
import { toneOf } from '../../kit/values/status.tsx';
import { useNow } from '../../kit/values/use-now.ts';
import type { Span } from './bars.ts';
import { barOf, spanOf, startOf } from './bars.ts';
import classes from './timeline-tab.module.css';

/** Each activation of a run as a bar: outlined while it waits for a worker, filled while it works. */
export function TimelineTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', run, 'activations'],
    queryFn: ({ pageParam }) => millrace.runs.get(run).activations().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 2_000,
  });
  const now = useNow();
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={8} />;
  const activations = data.pages.flatMap((page) => page.data);
  if (activations.length === 0) return <Empty title="Nothing has been due yet." />;
  const span = spanOf(activations, now);
  return (
    <>
      <p className={classes['scale']}>
        <span>{formatClock(span.from)}</span>
        <span>{formatDuration(span.to - span.from)}</span>
        <span>{formatClock(span.to)}</span>
      </p>
      <ol className={classes['timeline']}>
        {activations.map((activation) => (
          <Row key={activation.id} run={run} activation={activation} span={span} />
        ))}
      </ol>
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more activations
        </button>
      )}
    </>
  );
}

interface RowProps {
  readonly run: string;
  readonly activation: Activation;
  readonly span: Span;
}

const percent = (share: number): string => `${Math.max(0, Math.min(1, share)) * 100}%`;

function Row({ run, activation, span }: RowProps) {
  const { id, node, graph, unit, state, settledAt } = activation;
  const startedAt = startOf(activation);
  const { ready, started, ended } = barOf(activation, span);
  const took = startedAt === undefined || settledAt === undefined ? state : formatDuration(settledAt - startedAt);
  const place = graph === '' ? {} : { g: graph };
  return (
    <li>
      <Link to="/runs/$run/graph" params={{ run }} search={{ ...place, n: node }} className={classes['name']}>
        {node}
        {unit !== undefined && ` · unit ${unit + 1}`}
      </Link>
      <code>{id}</code>
      <span className={classes['track']}>
        <span className={classes['queued']} style={{ left: percent(ready), width: percent(started - ready) }} />
        <span
          className={`${classes['bar']} ${classes[toneOf(state)]}`}
          style={{ left: percent(started), width: `max(2px, ${percent(ended - started)})` }}
        />
      </span>
      <span className={classes['took']}>{took}</span>
    </li>
  );
}
