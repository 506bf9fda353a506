import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { millrace } from '../../api/millrace.ts';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import classes from './yaml-tab.module.css';

/** The text that a run was started with; lines on which a node begins lead to that node in the graph. */
export function YamlTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { data, error, refetch } = useQuery({
    queryKey: ['run', run, 'workflow'],
    queryFn: () => millrace.runs.get(run).workflow(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={12} />;
  if (data.yaml === null) return <Empty title="This run was started by a version that did not keep the text." />;
  const nodes = new Map(Object.entries(data.lines).map(([node, line]) => [line, node]));
  return (
    <>
      <p className={classes['facts']}>
        {data.name} <code>{data.hash}</code>
      </p>
      {Object.keys(data.vars).length > 0 && (
        <dl className={classes['vars']}>
          {Object.entries(data.vars).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <ol className={classes['text']}>
        {data.yaml.split('\n').map((line, at) => {
          const node = nodes.get(at + 1);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines have no ids, and never change
            <li key={at}>
              <code>{line === '' ? ' ' : line}</code>
              {node !== undefined && (
                <Link to="/runs/$run/graph" params={{ run }} search={placeOf(node)}>
                  {node}
                </Link>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}

/** Returns the place in the graph of a node that is named by its path. */
function placeOf(node: string): { g?: string; n: string } {
  const at = node.lastIndexOf('/');
  return at < 0 ? { n: node } : { g: node.slice(0, at), n: node.slice(at + 1) };
}
