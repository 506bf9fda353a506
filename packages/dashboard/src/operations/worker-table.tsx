import type { Worker } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { useCaller } from '../api/use-caller.ts';
import table from '../kit/layout/table.module.css';
import { useTargetRow } from '../kit/layout/use-target-row.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { formatDuration } from '../kit/values/format.ts';
import { Age } from '../kit/values/time.tsx';
import classes from './operations.module.css';
import { useWorkers } from './use-installation.ts';

/** The connected workers with their versions and executing activations. */
export function WorkerTable({ server }: { readonly server: string }) {
  const { data, error, refetch } = useWorkers();
  const row = useTargetRow({ rows: data?.length ?? 0 });
  if (error !== null && data === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton rows={3} />;
  if (data.length === 0) {
    return (
      <Empty title="No worker is connected.">
        <p>
          Start one: <code>millrace worker</code>
        </p>
      </Empty>
    );
  }
  return (
    <table className={table['table']} aria-label="Workers">
      <thead>
        <tr>
          <th scope="col">Worker</th>
          <th scope="col">Queues</th>
          <th scope="col">Millrace</th>
          <th scope="col">Node.js</th>
          <th scope="col">At work</th>
          <th scope="col">Executes</th>
          <th scope="col">Connected for</th>
        </tr>
      </thead>
      <tbody>
        {byName(data).map(({ queues, ...worker }) => (
          <tr key={worker.name} {...row(worker.name)}>
            <th scope="row">
              {worker.name}
              <br />
              <code>{worker.address}</code>
            </th>
            <td>{queues.join(', ')}</td>
            <td>
              {worker.version ?? 'unknown'}
              {worker.version !== undefined && worker.version !== server && ' (not that of the server)'}
            </td>
            <td>{worker.node ?? 'unknown'}</td>
            <td>{worker.active === undefined ? 'unknown' : `${worker.active} of ${worker.concurrency}`}</td>
            <td>
              <Work work={worker.work ?? []} active={worker.active ?? 0} />
            </td>
            <td>{formatDuration(worker.connectedSeconds * 1000)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A worker has one connection for each of its queues. */
function byName(workers: readonly Worker[]): readonly (Worker & { readonly queues: readonly string[] })[] {
  const found = new Map<string, Worker & { readonly queues: readonly string[] }>();
  for (const worker of workers) {
    const queues = [...(found.get(worker.name)?.queues ?? []), worker.queue];
    found.set(worker.name, { ...worker, queues });
  }
  return [...found.values()];
}

interface WorkProps {
  readonly work: NonNullable<Worker['work']>;
  readonly active: number;
}

/** Activations that a worker executes; those of the tenant of the caller lead to their runs. */
function Work({ work, active }: WorkProps) {
  const tenant = useCaller().data?.tenant;
  if (work.length === 0) return 'nothing';
  return (
    <ul className={classes['work']}>
      {work.map(({ run, activation, node, tenant: owner, since }) => (
        <li key={`${owner} ${run} ${activation}`}>
          {owner === tenant ? (
            <Link to="/runs/$run/graph" params={{ run }} search={{ n: node }}>
              {node}
            </Link>
          ) : (
            `${node} of tenant ${owner}`
          )}{' '}
          <code>{run}</code> since <Age at={since} />
        </li>
      ))}
      {active > work.length && <li>and {active - work.length} more</li>}
    </ul>
  );
}
