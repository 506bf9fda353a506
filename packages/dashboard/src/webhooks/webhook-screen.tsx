import type { WebhookLine } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { Facts, Panel, Screen } from '../kit/layout/screen.tsx';
import tabs from '../kit/layout/tabs.module.css';
import { Skeleton } from '../kit/states/empty.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import { Age } from '../kit/values/time.tsx';
import { DeliveryList } from './delivery-list.tsx';
import { useWebhook } from './use-webhooks.ts';
import { WebhookActions } from './webhook-actions.tsx';
import type { WantedWebhook } from './webhook-form.tsx';
import { WebhookForm } from './webhook-form.tsx';
import { deliveryStates, parseWebhookSearch } from './webhook-search.ts';

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
      <nav className={tabs['tabs']} aria-label="State of deliveries">
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
