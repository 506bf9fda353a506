/** Message of a webhook, in the form of CloudEvents 1.0. */
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
  /** Unparsed body of the request. */
  readonly body: string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Secret of the webhook, `whsec_…`. */
  readonly secret: string;
}

/**
 * Returns the message of a webhook if it was signed with the secret within the last five minutes. Throws
 * WebhookVerificationError otherwise. A message may arrive more than once, each time with the same id.
 */
export async function verifyWebhook({ body, headers, secret }: ReceivedWebhook): Promise<WebhookMessage> {
  const { Webhook } = await import('standardwebhooks');
  // The signature proves that the sender is a Millrace server, which sends CloudEvents.
  return new Webhook(secret).verify(body, plain(headers)) as WebhookMessage;
}

function plain(headers: ReceivedWebhook['headers']): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
}
