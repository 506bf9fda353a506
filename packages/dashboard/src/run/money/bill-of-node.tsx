import type { Activation, ModelUsage } from '@millrace/client';
import { addModelCall, noModelUsage } from '@millrace/core/usage';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { Problem } from '../../kit/states/problem.tsx';
import { sumOf } from './bill.ts';
import { UsageRow } from './usage-row.tsx';

interface BillOfNodeProps {
  readonly run: string;
  readonly graph: string;
  readonly node: string;
  readonly depth: number;
}

/** The activations of a node that called models, and their calls, in pages. */
export function BillOfNode({ run, graph, node, depth }: BillOfNodeProps) {
  const { data, error, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['run', run, 'bill', graph, node],
    queryFn: ({ pageParam }) => millrace.runs.get(run).activations({ graph, node, limit: 50 }).page(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: 10_000,
  });
  const activations = (data?.pages ?? [])
    .flatMap((page) => page.data)
    .filter(({ calls }) => usagesOf(calls).length > 0);
  return (
    <>
      {activations.map((activation) => (
        <OfActivation key={activation.id} run={run} activation={activation} depth={depth} />
      ))}
      {(error !== null || hasNextPage || isFetching) && (
        <tr>
          <td colSpan={7}>
            {error === null ? (
              <button type="button" className="button" disabled={isFetching} onClick={() => void fetchNextPage()}>
                {isFetching ? 'Loading …' : 'Load more activations'}
              </button>
            ) : (
              <Problem error={error} retry={() => void refetch()} />
            )}
          </td>
        </tr>
      )}
    </>
  );
}

interface OfActivationProps {
  readonly run: string;
  readonly activation: Activation;
  readonly depth: number;
}

function OfActivation({ run, activation: { id, calls, unit, turn }, depth }: OfActivationProps) {
  const usages = usagesOf(calls);
  const place = [turn === undefined ? '' : `turn ${turn}`, unit === undefined ? '' : `unit ${unit + 1}`];
  return (
    <>
      <UsageRow usage={sumOf(usages.map(({ usage }) => usage))} depth={depth}>
        <Link to="/runs/$run/activations" params={{ run }} search={{ a: id }}>
          <code>{id}</code>
        </Link>{' '}
        {place.filter((word) => word !== '').join(' · ')}
      </UsageRow>
      {usages.map(({ step, name, usage }) => (
        <UsageRow key={step} usage={usage} depth={depth + 1}>
          {name}
        </UsageRow>
      ))}
    </>
  );
}

interface CallUsage {
  readonly step: number;
  readonly name: string;
  readonly usage: ModelUsage;
}

const usagesOf = (calls: Activation['calls']): readonly CallUsage[] =>
  calls.flatMap(({ step, name, usage }) =>
    usage === undefined ? [] : [{ step, name, usage: addModelCall(noModelUsage, usage) }],
  );
