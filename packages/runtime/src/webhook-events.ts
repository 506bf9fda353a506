/** What somebody can be told of. */
export const webhookEvents = [
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.terminated',
  'task.created',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
