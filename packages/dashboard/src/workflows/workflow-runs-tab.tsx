import type { RunLine } from '@millrace/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import dense from '../kit/tables/dense-table.module.css';
import tables from '../kit/tables/table.module.css';
import { formatCost } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age, Duration } from '../kit/values/time.tsx';
import classes from './workflows.module.css';

const mostRuns = 50;

/** The newest runs of a workflow, or of one of its versions. */
export function WorkflowRunsTab() {
  const { name } = useParams({ from: '/workflows/$name' });
  const { version } = useSearch({ from: '/workflows/$name/runs' });
  const filter = { workflow: name, ...(version === undefined ? {} : { version }) };
  const { data, error, refetch } = useQuery({
    queryKey: ['runs', 'of workflow', filter],
    queryFn: () => millrace.runs.list({ ...filter, limit: mostRuns }).page(),
  });
  return (
    <>
      <p className={`${classes['facts']} spaced row wrap muted`}>
        {version !== undefined && (
          <span>
            of version <code>@{version.slice(0, 6)}</code>{' '}
            <Link to="/workflows/$name/runs" params={{ name }} search={{}}>
              Show those of all versions
            </Link>
          </span>
        )}
        <Link to="/runs" search={filter}>
          Open the list of runs with this filter
        </Link>
      </p>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton rows={6} />}
      {data?.data.length === 0 && <Empty title="It has no runs." />}
      {data !== undefined && data.data.length > 0 && <RunTable runs={data.data} />}
    </>
  );
}

function RunTable({ runs }: { readonly runs: readonly RunLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that is wider than the page is scrolled with the keyboard
    <section className={`${classes['wide']} scrolled`} tabIndex={0} aria-label="Table of runs">
      <table className={`${tables['table']} panel ${dense['dense']}`} aria-label="Runs of the workflow">
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Run</th>
            <th scope="col">Version</th>
            <th scope="col">Started</th>
            <th scope="col">Duration</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ runId, status, title, version, startedAt, finishedAt, usage }) => (
            <tr key={runId}>
              <td>
                <Status of={status} />
              </td>
              <th scope="row">
                <Link to="/runs/$run" params={{ run: runId }}>
                  {title ?? runId}
                </Link>
              </th>
              <td>
                <code>{version === undefined ? '–' : `@${version.slice(0, 6)}`}</code>
              </td>
              <td className="nowrap">
                <Age at={startedAt} />
              </td>
              <td className="nowrap">
                <Duration from={startedAt} to={finishedAt} />
              </td>
              <td>{formatCost(usage?.microUsd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
