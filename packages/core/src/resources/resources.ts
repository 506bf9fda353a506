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

/**
 * Returns the part of an address that everybody may see: many services put credentials into the path or the query of the addresses
 * that they give out.
 */
export function publicAddress(url: string): string {
  if (!URL.canParse(url)) return '…';
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? origin : `${origin}/…`;
}

/**
 * Scopes of API keys: `read`, `run` (start and control runs), `answer` (answer questions), and `admin`, which allows
 * everything, keys included.
 */
export const scopes = ['read', 'run', 'answer', 'admin'] as const;

/** A scope of an API key. */
export type Scope = (typeof scopes)[number];

/** Statuses of a row of a batch. `invalid`: no run can be started for the row. */
export const rowStatuses = ['invalid', 'waiting', 'running', 'completed', 'failed', 'cancelled', 'terminated'] as const;

/** Status of a row of a batch. */
export type RowStatus = (typeof rowStatuses)[number];

/** Pattern of names under which workflows are published. */
export const workflowName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
