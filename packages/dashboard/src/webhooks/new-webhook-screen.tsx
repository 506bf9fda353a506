import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { millrace } from '../api/millrace.ts';
import { Panel, Screen } from '../kit/layout/screen.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import type { WantedWebhook } from './webhook-form.tsx';
import { creationOf, WebhookForm } from './webhook-form.tsx';
import classes from './webhooks.module.css';

/** Creates a webhook, and shows its secret once. */
export function NewWebhookScreen() {
  const {
    mutate,
    isPending,
    error,
    data: made,
  } = useMutation({
    mutationFn: (wanted: WantedWebhook) => millrace.webhooks.create(creationOf(wanted)),
    meta: { changes: ['webhooks'] },
    gcTime: 0,
  });
  return (
    <Screen title="New webhook">
      {made === undefined ? (
        <Panel title="Webhook">
          <WebhookForm isPending={isPending} error={error} save={mutate} />
        </Panel>
      ) : (
        <section className={`${classes['secret']} stack`} aria-label="Secret">
          <strong role="status">The webhook is created. This is its secret, which is shown only this once:</strong>
          <CopyableId id={made.secret} />
          <p>Receivers verify with it that a delivery comes from here. Store it where your receiver runs.</p>
          <p>
            <Link to="/webhooks/$webhook" params={{ webhook: made.id }} className="button">
              I have stored it: go to the webhook
            </Link>
          </p>
        </section>
      )}
    </Screen>
  );
}
