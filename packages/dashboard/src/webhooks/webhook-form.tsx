import type { Webhook } from '@millrace/client';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { millrace } from '../api/millrace.ts';
import { useMissingScope } from '../api/use-caller.ts';
import { CopyAs } from '../kit/commands/copy-as.tsx';
import { copyOf } from '../kit/commands/copy-of.ts';
import { Field, SubmitButton } from '../kit/controls/field.tsx';
import form from '../kit/controls/form.module.css';
import { Panel, Screen } from '../kit/layout/screen.tsx';
import { Problem } from '../kit/states/problem.tsx';
import { CopyableId } from '../kit/values/copyable-id.tsx';
import classes from './webhooks.module.css';

const allEvents = ['run.completed', 'run.failed', 'run.cancelled', 'run.terminated', 'task.created'] as const;

/** A webhook as the form has it. */
export interface WantedWebhook {
  readonly url: string;
  readonly events: Webhook['events'];
  readonly description: string;
}

/** Returns the request for a new webhook. */
export const creationOf = ({ description, ...wanted }: WantedWebhook) =>
  description === '' ? wanted : { ...wanted, description };

interface WebhookFormProps {
  /** Absent: a new one. */
  readonly webhook?: Webhook;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly save: (wanted: WantedWebhook) => void;
}

/** A form for the address and the events of a webhook. */
export function WebhookForm({ webhook, isPending, error, save }: WebhookFormProps) {
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState<Webhook['events']>(webhook?.events ?? []);
  const [description, setDescription] = useState(webhook?.description ?? '');
  const missing = useMissingScope('admin');
  const isNew = webhook === undefined;
  const wanted = { url, events, description };
  return (
    <form
      className={`${form['form']} stack`}
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === undefined && !isPending) save(wanted);
      }}
    >
      <div className={`${form['fields']} stack`}>
        <Field label="Address" hint="It receives a POST for each event.">
          {(ids) => <input {...ids} type="url" required value={url} onChange={({ target }) => setUrl(target.value)} />}
        </Field>
        <Field label="Description" hint="For people.">
          {(ids) => (
            <input
              {...ids}
              maxLength={200}
              value={description}
              onChange={({ target }) => setDescription(target.value)}
            />
          )}
        </Field>
      </div>
      <fieldset className={`${classes['events']} row wrap`}>
        <legend>Events; none chosen: all of them</legend>
        {allEvents.map((event) => (
          <label key={event} className="inline">
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={({ target }) =>
                setEvents(target.checked ? [...events, event] : events.filter((one) => one !== event))
              }
            />
            {event}
          </label>
        ))}
      </fieldset>
      <p>
        {isNew
          ? 'It receives the events of runs that start from then on. Its secret is shown once, when it is created.'
          : 'Deliveries from now on follow what is saved, also those that are under way. The secret stays the same.'}
      </p>
      {error !== null && <Problem error={error} />}
      <div className={`${form['buttons']} row wrap`}>
        <CopyAs
          of={
            isNew
              ? copyOf('webhooks.create', creationOf(wanted))
              : copyOf('webhooks.change', { id: webhook.id, ...wanted })
          }
        />
        <SubmitButton isPending={isPending} obstacle={missing}>
          {isNew ? 'Create the webhook' : 'Save the changes'}
        </SubmitButton>
      </div>
    </form>
  );
}

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
        <section className={`${classes['secret']} note spaced stack`} data-tone="waiting" aria-label="Secret">
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
