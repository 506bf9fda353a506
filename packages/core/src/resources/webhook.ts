/** Types of events that webhooks receive. */
export const webhookEvents = [
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.terminated',
  'task.created',
] as const;

/** Type of an event that webhooks receive. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Type of an event that is sent to try a webhook out. */
export const testEvent = 'webhook.test';

/** Id for the webhooks that runs were started with. */
export const ownWebhook = 'runs';

/**
 * Returns whether a URL contains a user name or a password, as in `https://ann:secret@example.com`; `fetch` refuses such URLs.
 */
export function holdsCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
