import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { millrace } from '../../api/millrace.ts';
import { Segmented } from '../../kit/controls/segmented.tsx';
import { Toolbar } from '../../kit/layout/toolbar.tsx';
import { Empty, Skeleton } from '../../kit/states/empty.tsx';
import { Problem } from '../../kit/states/problem.tsx';
import { CopyableId } from '../../kit/values/copyable-id.tsx';
import { NodeChoice } from './node-choice.tsx';
import classes from './yaml-tab.module.css';
import { YamlText } from './yaml-text.tsx';

const YamlChanges = lazy(async () => ({ default: (await import('./yaml-changes.tsx')).YamlChanges }));

/** The text that a run was started with: its nodes link to the graph, and it can be compared with the published version. */
export function YamlTab() {
  const { run } = useParams({ from: '/runs/$run' });
  const { n: node, view = 'text' } = useSearch({ from: '/runs/$run/yaml' });
  const navigate = useNavigate({ from: '/runs/$run/yaml' });
  const { data, error, refetch } = useQuery({
    queryKey: ['run', run, 'workflow'],
    queryFn: () => millrace.runs.get(run).workflow(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={12} />;
  const { yaml, hash, current } = data;
  if (yaml === null) return <Empty title="This run was started without the text of its workflow." />;
  const choose = (n: string | undefined) =>
    void navigate({
      search: ({ n: _before, ...others }) => (n === undefined ? others : { ...others, n }),
      replace: true,
    });
  const hasChanged = current !== null && current.hash !== hash;
  return (
    <>
      <Toolbar
        end={
          <>
            {data.name} {hash !== null && <CopyableId id={hash.slice(0, 12)} />}
            <span>
              {current === null ? 'not published under this name' : hasChanged ? '' : 'the published version'}
            </span>
            <a className="button" href={fileOf(yaml)} download={`${data.name}.yaml`}>
              <Download aria-hidden size={14} /> Download
            </a>
          </>
        }
      >
        {hasChanged && (
          <Segmented
            label="View of the text"
            options={{ text: 'As started', changes: 'Changes since' }}
            value={view}
            choose={(to) => void navigate({ search: (before) => ({ ...before, view: to }), replace: true })}
          />
        )}
        {view === 'text' && <NodeChoice run={run} lines={data.lines} node={node} choose={choose} />}
      </Toolbar>
      <Variables vars={data.vars} />
      {view === 'changes' && current !== null ? (
        <Suspense fallback={<Skeleton rows={12} />}>
          <YamlChanges started={yaml} name={data.name} current={current} />
        </Suspense>
      ) : (
        <YamlText yaml={yaml} lines={data.lines} node={node} choose={choose} />
      )}
    </>
  );
}

/** Returns an address of the text itself. */
const fileOf = (yaml: string): string => `data:application/yaml;charset=utf-8,${encodeURIComponent(yaml)}`;

function Variables({ vars }: { readonly vars: Readonly<Record<string, unknown>> }) {
  if (Object.keys(vars).length === 0) return null;
  return (
    <dl className={classes['vars']}>
      {Object.entries(vars).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
