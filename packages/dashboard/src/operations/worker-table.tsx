import type { Worker } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { useCaller } from '../api/use-caller.ts';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { formatDuration } from '../kit/values/format.ts';
import { Duration } from '../kit/values/time.tsx';
import classes from './operations.module.css';
import { useWorkers } from './use-installation.ts';

/** The connected workers with their versions and executing activations. */
export function WorkerTable({ server }: { readonly server: string }) {
  const { data, error, refetch } = useWorkers();
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
    <DataTable
      label="Workers"
      rows={byName(data)}
      idOf={({ name }) => name}
      columns={[
        {
          title: 'Worker',
          cell: ({ name, address }) => (
            <>
              {name}
              <br />
              <code>{address}</code>
            </>
          ),
        },
        { title: 'Queues', cell: ({ queues }) => queues.join(', ') },
        { title: 'Millrace', cell: ({ version }) => versionOf(version, server) },
        { title: 'Node.js', cell: ({ node }) => node ?? 'unknown' },
        {
          title: 'At work',
          cell: ({ active, concurrency }) => (active === undefined ? 'unknown' : `${active} of at most ${concurrency}`),
        },
        { title: 'Executes', cell: ({ work, active }) => <Work work={work ?? []} active={active ?? 0} /> },
        { title: 'Connected for', cell: ({ connectedSeconds }) => formatDuration(connectedSeconds * 1000) },
      ]}
    />
  );
}

const versionOf = (version = 'unknown', server: string): string =>
  version === 'unknown' || version === server ? version : `${version} (not that of the server)`;

/** A worker has one connection for each of its queues. */
function byName(workers: readonly Worker[]): readonly (Worker & { readonly queues: readonly string[] })[] {
  const found = new Map<string, Worker & { readonly queues: readonly string[] }>();
  for (const worker of workers) {
    const queues = [...(found.get(worker.name)?.queues ?? []), worker.queue];
    found.set(worker.name, { ...worker, queues });
  }
  return [...found.values()];
}

/** Returns the place of an activation: its node, its unit in a fan-out, and its id. */
const placeOf = (node: string, unit: number | undefined, activation: string): string =>
  [node === '' ? 'Vote' : node, ...(unit === undefined ? [] : [`unit ${unit + 1}`]), activation].join(' · ');

const shortId = (run: string): string => (run.length > 16 ? `${run.slice(0, 12)}…` : run);

interface WorkProps {
  readonly work: NonNullable<Worker['work']>;
  readonly active: number;
}

/** Activations that a worker executes; those of the tenant of the caller lead to their runs. */
function Work({ work, active }: WorkProps) {
  const tenant = useCaller().data?.tenant;
  if (work.length === 0) return 'nothing';
  return (
    <ul className={`${classes['work']} stack`}>
      {work.map(({ run, activation, node, unit, tenant: owner, since }) => (
        <li key={`${owner} ${run} ${activation}`}>
          {owner === tenant ? (
            <Link to="/runs/$run/graph" params={{ run }} search={{ n: node, a: activation }}>
              {placeOf(node, unit, activation)}
            </Link>
          ) : (
            `${placeOf(node, unit, activation)} of tenant ${owner}`
          )}{' '}
          for <Duration from={since} to={undefined} /> <code title={run}>{shortId(run)}</code>
        </li>
      ))}
      {active > work.length && <li>and {active - work.length} more</li>}
    </ul>
  );
}
