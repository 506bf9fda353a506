import type { Context, StartRun } from '@millrace/api';
import { budgetOf, omitUndefined } from '@millrace/api';
import type { Message, OwnWebhook } from '@millrace/core';
import { messageWith } from '@millrace/core';
import type { Namespace, StartRequest } from '@millrace/runtime';
import type { Around } from './read-definition.ts';
import { nameIn, readDefinition } from './read-definition.ts';

/** Who asks for a run, with what it may be made, and who may be told of it. */
export interface Asking extends Around, Pick<Context, 'assertReachable'> {}

/** What starting a run takes, as somebody has written it. Throws RequestError for what cannot be. */
export async function requestOf(body: StartRun, asking: Asking): Promise<StartRequest> {
  const { webhook, timeoutSeconds } = body;
  if (webhook !== undefined) await asking.assertReachable(asking.space.tenant, webhook.url);
  return {
    workflow: await readDefinition(body, asking),
    input: await taskOf(body, asking.space),
    tags: [...new Set(body.tags)],
    ...omitUndefined({
      name: nameIn(body),
      priority: body.priority,
      webhook: webhook === undefined ? undefined : ownWebhookOf(webhook),
    }),
    ...budgetOf(body.budget),
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
  };
}

const ownWebhookOf = ({ url, events }: NonNullable<StartRun['webhook']>): OwnWebhook => ({
  url,
  ...omitUndefined({ events }),
});

/** The task of a run: its text, with files when there are some. */
async function taskOf({ input, attachments }: StartRun, { files }: Namespace): Promise<string | readonly Message[]> {
  return attachments.length === 0 ? input : [messageWith(input, await files.attachments(attachments), 'TASK')];
}
