import type { Activation } from '@millrace/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import classes from '../../kit/layout/table.module.css';
import { Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { formatDuration } from '../../kit/values/format.ts';
import { Status } from '../../kit/values/status.tsx';

/** Each time that a node was due, in order. */
export function ActivationsTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data, error, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', run, 'activations'],
    queryFn: ({ pageParam }) => millrace.runs.get(run).activations().page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: 2_000,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={8} />;
  return (
    <>
      <table className={classes['table']}>
        <thead>
          <tr>
            {['Activation', 'Node', 'State', 'Took', 'Calls', 'Remarks'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data.pages
            .flatMap((page) => page.data)
            .map((one) => (
              <Row key={one.id} activation={one} />
            ))}
        </tbody>
      </table>
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load more activations
        </button>
      )}
    </>
  );
}

function Row({ activation }: { readonly activation: Activation }) {
  const { id, node, graph, state, startedAt, settledAt, calls, error, question, unit } = activation;
  return (
    <tr>
      <td>
        <code>{id}</code>
      </td>
      <td>
        {graph !== '' && <span className={classes['graph']}>{graph} / </span>}
        {node}
        {unit !== undefined && <span className={classes['graph']}> unit {unit + 1}</span>}
      </td>
      <td>
        <Status of={state} />
      </td>
      <td>{startedAt === undefined || settledAt === undefined ? '–' : formatDuration(settledAt - startedAt)}</td>
      <td>{calls.length === 0 ? '–' : calls.map(({ name }) => name).join(', ')}</td>
      <td>{error?.message ?? question ?? ''}</td>
    </tr>
  );
}
