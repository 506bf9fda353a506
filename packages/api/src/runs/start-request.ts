import type { Issue, Message, OriginWebhook } from '@millrace/core';
import { messageWithAttachments, omitUndefined } from '@millrace/core';
import type { StartRequest, TenantRuntime } from '@millrace/runtime';
import type { Context } from '../operation/context.ts';
import type { StartRun } from '../schemas/runs/run.ts';
import { budgetOf } from '../schemas/runs/run.ts';
import { publishedNameIn, readWithWarnings } from '../workflows/definition.ts';

/** The parts of a context that start runs. */
export type StartContext = Pick<Context, 'tenant' | 'reader' | 'assertReachable'>;

/** Returns the request for the runtime to start a run. Throws RequestError if the run is invalid. */
export const startRequestOf = async (body: StartRun, context: StartContext): Promise<StartRequest> =>
  (await readStart(body, context)).request;

/** Returns the same with the warnings about its workflow. */
export async function readStart(
  body: StartRun,
  context: StartContext,
): Promise<{ readonly request: StartRequest; readonly warnings: readonly Issue[] }> {
  const { webhook, timeoutSeconds, ttlSeconds } = body;
  if (webhook !== undefined) await context.assertReachable(context.tenant.tenant, webhook.url);
  const { definition, warnings } = await readWithWarnings(body, context);
  const request: StartRequest = {
    ...definition,
    input: await taskOf(body, context.tenant),
    tags: [...new Set(body.tags)],
    ...omitUndefined({
      name: publishedNameIn(body),
      priority: body.priority,
      recordRequests: body.recordRequests,
      webhook: webhook === undefined ? undefined : ownWebhookOf(webhook),
    }),
    ...budgetOf(body.budget),
    ...(timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 }),
    ...(ttlSeconds === undefined ? {} : { ttlMs: ttlSeconds * 1000 }),
  };
  return { request, warnings };
}

const ownWebhookOf = ({ url, events }: NonNullable<StartRun['webhook']>): OriginWebhook => ({
  url,
  ...omitUndefined({ events }),
});

/** Returns the task of a run: its text and its files. */
async function taskOf(
  { input, attachments }: StartRun,
  { files }: TenantRuntime,
): Promise<string | readonly Message[]> {
  return attachments.length === 0
    ? input
    : [messageWithAttachments(input, await files.attachments(attachments), 'TASK')];
}
