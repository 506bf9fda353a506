import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { Skeleton } from '../../kit/empty.tsx';
import { Problem } from '../../kit/problem.tsx';
import { hasEnded, useRun } from '../use-run.ts';
import { GraphCanvas } from './graph-canvas.tsx';
import classes from './graph-tab.module.css';

/** The graphs of a run as the author drew them, with the state of each node. */
export function GraphTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { g: key = '' } = useSearch({ from: '/runs/$run/graph' });
  const navigate = useNavigate({ from: '/runs/$run/graph' });
  const { data: facts } = useRun(run);
  const isOver = facts !== undefined && hasEnded(facts);
  const { data, error, refetch } = useQuery({
    queryKey: ['run', run, 'graph', isOver],
    queryFn: () => millrace.runs.get(run).graph(),
    refetchInterval: isOver ? false : 1_000,
    placeholderData: (previous) => previous,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={8} />;
  const graph = data.graphs.find((one) => one.key === key) ?? data.graphs[0];
  if (graph === undefined) return null;
  const enter = (inner: string) => void navigate({ search: inner === '' ? {} : { g: inner } });
  return (
    <>
      {graph.key !== '' && <Path of={graph.key} enter={enter} />}
      <GraphCanvas key={graph.key} graph={graph} enter={enter} />
    </>
  );
}

/** The way from the root graph to the one that is shown. */
function Path({ of, enter }: { readonly of: string; readonly enter: (key: string) => void }) {
  const parts = of.split('/');
  return (
    <nav aria-label="Graphs" className={classes['path']}>
      <button type="button" onClick={() => enter('')}>
        root graph
      </button>
      {parts.map((part, at) => {
        const key = parts.slice(0, at + 1).join('/');
        return (
          <span key={key}>
            {' / '}
            <button type="button" onClick={() => enter(key)}>
              {part}
            </button>
          </span>
        );
      })}
    </nav>
  );
}
