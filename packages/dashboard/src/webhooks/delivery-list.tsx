import type { Delivery } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { millrace } from '../api/millrace.ts';
import { CopyMenu } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { ResourceActions } from '../kit/commands/resource-actions.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { formatDuration, formatMoment } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { useDeliveries } from './use-webhooks.ts';
import classes from './webhooks.module.css';

interface DeliveryListProps {
  readonly webhook: string;
  readonly state: Delivery['state'] | undefined;
}

/** The deliveries of a webhook with their attempts, newest first. */
export function DeliveryList({ webhook, state }: DeliveryListProps) {
  const { data, error, hasNextPage, fetchNextPage, refetch } = useDeliveries(webhook, state);
  const deliveries = data?.pages.flatMap((page) => page.data);
  if (error !== null && deliveries === undefined) return <Problem error={error} retry={() => void refetch()} />;
  if (deliveries === undefined) return <Skeleton rows={5} />;
  if (deliveries.length === 0) {
    return (
      <Empty title={state === undefined ? 'Nothing was delivered yet.' : `No delivery is ${state}.`}>
        {state === undefined ? (
          <p>Runs that end or ask a person are delivered here; “Send a test” does so at once.</p>
        ) : (
          <Link to="/webhooks/$webhook" params={{ webhook }} search={{}} className="button">
            Show all deliveries
          </Link>
        )}
      </Empty>
    );
  }
  return (
    <>
      <DataTable
        label="Deliveries"
        rows={deliveries}
        idOf={({ id }) => id}
        columns={[
          { title: 'Event', cell: ({ type }) => <span className={classes['event']}>{type}</span> },
          { title: 'State', cell: (delivery) => <Status of={delivery.state} /> },
          { title: 'Run', cell: ({ runId }) => runId !== undefined && <RunLink run={runId} /> },
          { title: 'Attempts', cell: ({ attempts }) => <Attempts attempts={attempts} /> },
          { title: 'Again', cell: (delivery) => <Redeliver webhook={webhook} delivery={delivery} /> },
        ]}
      />
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          Load earlier deliveries
        </button>
      )}
    </>
  );
}

const RunLink = ({ run }: { readonly run: string }) => (
  <Link to="/runs/$run" params={{ run }}>
    {run}
  </Link>
);

const Attempts = ({ attempts }: Pick<Delivery, 'attempts'>) => (
  <ol className={`${classes['attempts']} stack`}>
    {attempts.map(({ at, tookMs, status, error: reason }) => (
      <li key={at}>
        {status ?? 'no answer'} after {formatDuration(tookMs)}{' '}
        <small>
          {formatMoment(at)}
          {reason !== undefined && status === undefined && `: ${reason}`}
        </small>
      </li>
    ))}
    {attempts.length === 0 && <li>none yet</li>}
  </ol>
);

function Redeliver({ webhook, delivery }: { readonly webhook: string; readonly delivery: Delivery }) {
  const { id, state, attempts } = delivery;
  const copied = copyOf('webhooks.redeliver', { id: webhook, did: id });
  return (
    <span className={classes['again']}>
      <ResourceActions
        changes="webhooks"
        done={() => undefined}
        actions={[
          {
            id: 'redeliver',
            scope: 'run',
            obstacle: state === 'pending' && attempts.length === 0 ? 'It is under way.' : undefined,
            button: (
              <>
                <RotateCcw aria-hidden size={13} /> Redeliver
              </>
            ),
            will: 'Send it once more, with the same id',
            copied,
            act: async () => void (await millrace.webhooks.redeliver(webhook, id)),
          },
        ]}
      />
      <CopyMenu of={{ Redeliver: copied }} />
    </span>
  );
}
