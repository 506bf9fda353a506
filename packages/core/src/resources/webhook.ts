/** Events that a webhook can be sent. */
export const webhookEvents = [
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.terminated',
  'task.created',
] as const;

/** An event that a webhook can be sent. */
export type WebhookEvent = (typeof webhookEvents)[number];

/** Id that stands for the webhooks that runs were started with. */
export const ownWebhook = 'runs';

/** Returns whether a URL holds a user name or a password, as in `https://ann:secret@example.com`; `fetch` refuses such URLs. */
export function holdsCredentials(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}
