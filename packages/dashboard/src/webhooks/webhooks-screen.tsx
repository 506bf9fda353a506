import type { WebhookLine } from '@millrace/client';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Allowed } from '../kit/commands/allowed.tsx';
import { Screen } from '../kit/layout/screen.tsx';
import { Empty, Skeleton } from '../kit/states/empty.tsx';
import { Stale } from '../kit/states/notes.tsx';
import { Problem } from '../kit/states/problem.tsx';
import cards from '../kit/tables/cards.module.css';
import { Status } from '../kit/values/status.tsx';
import { Age } from '../kit/values/time.tsx';
import { useWebhooks } from './use-webhooks.ts';

/** The webhooks, each with its newest delivery. */
export function WebhooksScreen() {
  const { data: webhooks, error, refetch, dataUpdatedAt } = useWebhooks();
  return (
    <Screen
      title="Webhooks"
      actions={
        <Allowed scope="admin">
          <Link to="/webhooks/new" className="button primary">
            <Plus aria-hidden size={14} /> New webhook
          </Link>
        </Allowed>
      }
    >
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      {webhooks !== undefined && <Stale at={dataUpdatedAt} isStale={error !== null} />}
      {webhooks === undefined && error === null && <Skeleton rows={4} rowHeight={52} />}
      {webhooks?.length === 0 && (
        <Empty title="There is no webhook yet.">
          <p>A webhook sends a request to your address when a run has ended or asks a person.</p>
          <code>millrace webhooks create https://example.com/runs</code>
          <Allowed scope="admin">
            <Link to="/webhooks/new" className="button">
              New webhook
            </Link>
          </Allowed>
        </Empty>
      )}
      {webhooks !== undefined && webhooks.length > 0 && (
        <ul className="spaced panel" aria-label="Webhooks">
          {webhooks.map((webhook) => (
            <WebhookCard key={webhook.id} webhook={webhook} />
          ))}
        </ul>
      )}
      <p>
        <Link to="/webhooks/$webhook" params={{ webhook: 'runs' }}>
          Deliveries to the webhooks of single runs
        </Link>
      </p>
    </Screen>
  );
}

function WebhookCard({ webhook }: { readonly webhook: WebhookLine }) {
  const { id, url, events, description, last, createdAt } = webhook;
  return (
    <li className={`${cards['card']} stack`}>
      <span className={`${cards['main']} stack`}>
        <Link to="/webhooks/$webhook" params={{ webhook: id }} className={`${cards['link']} strong`}>
          {url}
        </Link>
        <small>{description}</small>
      </span>
      <span className={`${cards['main']} stack muted`}>{events.length === 0 ? 'all events' : events.join(', ')}</span>
      {last === null ? (
        <span className={`${cards['main']} stack muted`}>no delivery yet</span>
      ) : (
        <span className={`${cards['main']} stack muted`}>
          <Status of={last.state} />
          <small>{last.type}</small>
        </span>
      )}
      <span className={`${cards['main']} stack muted`}>
        <Age at={createdAt} />
      </span>
    </li>
  );
}
