/** A message of a webhook: a CloudEvent about something that has happened. */
export interface WebhookMessage {
  readonly id: string;
  /** Type of the event. */
  readonly type: string;
  readonly source: string;
  /** Subject of the event, such as the id of a run. */
  readonly subject?: string;
  readonly time?: string;
  readonly data?: unknown;
}

/** Request that a webhook received, and the secret of the webhook. */
export interface ReceivedWebhook {
  /** The body as it came, not parsed. */
  readonly body: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** As `whsec_…`. */
  readonly secret: string;
}

/**
 * The message of a webhook, if it comes from who has the secret and was sent within the last five minutes. Throws
 * WebhookVerificationError otherwise. The same message may come more than once: its id tells.
 */
export async function verifyWebhook({ body, headers, secret }: ReceivedWebhook): Promise<WebhookMessage> {
  const { Webhook } = await import('standardwebhooks');
  // Who has the secret writes CloudEvents.
  return new Webhook(secret).verify(body, plain(headers)) as WebhookMessage;
}

function plain(headers: ReceivedWebhook['headers']): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
}
