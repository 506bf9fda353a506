import type { Delivery, WebhookLine } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { CopyMenu } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import type { ResourceAction } from '../kit/commands/resource-actions.tsx';
import { ActionButton, ResourceActions } from '../kit/commands/resource-actions.tsx';
import { useDeletion } from '../kit/commands/use-deletion.ts';
import { Facts, Panel, Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { DataTable } from '../kit/tables/data-table.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { formatDuration, formatMoment } from '../kit/values/format.ts';
import { Status } from '../kit/values/status.tsx';
import { Age } from '../kit/values/time.tsx';
import { deliveryStates, parseWebhookSearch, useDeliveries, useWebhook } from './use-webhooks.ts';
import type { WantedWebhook } from './webhook-form.tsx';
import { WebhookForm } from './webhook-form.tsx';
import classes from './webhooks.module.css';

/** One webhook with its deliveries; `runs` means the webhooks of single runs. */
export function WebhookScreen() {
  const { webhook: id } = useParams({ from: '/webhooks/$webhook' });
  return id === 'runs' ? (
    <Screen title="Webhooks of single runs" actions={<WebhookActions id={id} />}>
      <Deliveries id={id} />
    </Screen>
  ) : (
    <OneWebhook id={id} />
  );
}

function OneWebhook({ id }: { readonly id: string }) {
  const { data: webhook, error, refetch } = useWebhook(id);
  const [isEdited, edit] = useState(false);
  return (
    <Screen
      title={webhook?.description ?? webhook?.url ?? `Webhook ${id}`}
      actions={webhook === undefined ? null : <WebhookActions id={id} edit={() => edit(!isEdited)} />}
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {webhook === undefined && error === null && <Skeleton rows={5} />}
      {webhook !== undefined && (
        <>
          <Facts>
            <CopyableId id={id} />
            {webhook.description !== undefined && <strong>{webhook.url}</strong>}
            <span>{webhook.events.length === 0 ? 'all events' : webhook.events.join(', ')}</span>
            <span>
              created <Age at={webhook.createdAt} />
            </span>
          </Facts>
          {isEdited && <Edit webhook={webhook} close={() => edit(false)} />}
          <Deliveries id={id} />
        </>
      )}
    </Screen>
  );
}

function Deliveries({ id }: { readonly id: string }) {
  const search = useSearch({ from: '/webhooks/$webhook' });
  const { state } = parseWebhookSearch({ ...search });
  return (
    <Panel title="Deliveries">
      <nav className="tabs" aria-label="State of deliveries">
        <Link
          to="/webhooks/$webhook"
          params={{ webhook: id }}
          search={{}}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          all
        </Link>
        {deliveryStates.map((one) => (
          <Link
            key={one}
            to="/webhooks/$webhook"
            params={{ webhook: id }}
            search={{ state: one }}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {one}
          </Link>
        ))}
      </nav>
      <DeliveryList webhook={id} state={state} />
    </Panel>
  );
}

function Edit({ webhook, close }: { readonly webhook: WebhookLine; readonly close: () => void }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (wanted: WantedWebhook) => millrace.webhooks.change(webhook.id, { ...wanted }),
    onSuccess: close,
    meta: { changes: ['webhooks'] },
  });
  return (
    <Panel title="Edit">
      <WebhookForm webhook={webhook} isPending={isPending} error={error} save={mutate} />
    </Panel>
  );
}

interface WebhookActionsProps {
  readonly id: string;
  /** Absent: the webhooks of single runs, of which only failed deliveries can be repeated. */
  readonly edit?: () => void;
}

/** Buttons for the actions on a webhook. */
function WebhookActions({ id, edit }: WebhookActionsProps) {
  const actions = actionsFor(id);
  const deletion = useDeletion('webhooks', id, {
    scope: 'admin',
    will: 'The webhook and the list of its deliveries are deleted. Nothing more is sent to its address.',
  });
  return (
    <ResourceActions
      changes="webhooks"
      actions={edit === undefined ? [actions.redeliver] : [actions.test, actions.redeliver, deletion]}
    >
      {edit !== undefined && (
        <ActionButton scope="admin" act={edit}>
          Edit
        </ActionButton>
      )}
    </ResourceActions>
  );
}

function actionsFor(id: string) {
  const { webhooks } = millrace;
  return {
    test: {
      id: 'test',
      scope: 'run',
      button: 'Send a test',
      command: 'Send a test',
      asks: 'Send a test?',
      will: 'The address receives one signed event of the type webhook.test, once. The list below shows what it answers.',
      confirm: 'Send the test',
      copied: copyOf('webhooks.test', { id }),
      act: async () => {
        await webhooks.test(id);
        return 'A test is on its way.';
      },
    },
    redeliver: {
      id: 'redeliver',
      scope: 'run',
      button: 'Redeliver all failed',
      command: 'Redeliver all failed',
      asks: 'Redeliver all failed?',
      will: 'Every delivery that has failed is sent again, with the same id, so that receivers can drop duplicates.',
      confirm: 'Redeliver them',
      copied: copyOf('webhooks.redeliverFailed', { id }),
      act: async () => {
        const count = await webhooks.redeliverFailed(id);
        if (count === 0) return 'No delivery has failed.';
        return count === 1 ? 'The failed delivery is sent again.' : `${count} failed deliveries are sent again.`;
      },
    },
  } as const satisfies Record<string, ResourceAction>;
}

interface DeliveryListProps {
  readonly webhook: string;
  readonly state: Delivery['state'] | undefined;
}

/** The deliveries of a webhook with their attempts, newest first. */
function DeliveryList({ webhook, state }: DeliveryListProps) {
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
          { title: 'Event', cell: ({ type }) => <span className="nowrap">{type}</span> },
          { title: 'State', cell: (delivery) => <Status of={delivery.state} /> },
          { title: 'Run', cell: ({ runId }) => runId !== undefined && <RunLink run={runId} /> },
          { title: 'Attempts', cell: ({ attempts }) => <Attempts attempts={attempts} /> },
          { title: 'Action', cell: (delivery) => <Redeliver webhook={webhook} delivery={delivery} /> },
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
        {status === undefined ? 'no answer' : `HTTP ${status}`} after {formatDuration(tookMs)}{' '}
        <small>
          <span className="nowrap">{formatMoment(at)}</span>
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
    <span className="nowrap">
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
      <CopyMenu of={{ Redeliver: copied }} isSmall />
    </span>
  );
}
