import type { Delivery, DeliveryQuery, OperationInput } from '@millrace/client';
import { omitUndefined } from '@millrace/core/omit-undefined';
import { reportMissingServers, withSession } from '../client/session.ts';
import { columns } from '../output/tables/columns.ts';
import { shortLine } from '../output/tables/short-line.ts';
import type { Cli } from '../process/cli.ts';
import { first } from '../requests/first.ts';

/** Properties of a webhook, new or changed. */
export interface WebhookChanges {
  readonly url?: string;
  readonly events?: readonly NonNullable<OperationInput<'webhooks.create'>['events']>[number][];
  readonly description?: string;
}

/** Prints webhooks. */
export async function listWebhooks(cli: Cli, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const found = await millrace.webhooks.list();
    if (json) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.say('There are no webhooks. `millrace webhooks create URL` creates one.');
    else {
      const rows = found.map(({ id, url, events, description = '', createdAt }) => [
        id,
        url,
        events.length === 0 ? 'all' : events.join(','),
        description,
        new Date(createdAt).toISOString(),
      ]);
      cli.terminal.data(columns(['ID', 'URL', 'EVENTS', 'DESCRIPTION', 'CREATED'], rows));
    }
  });
}

/** Creates a webhook and prints its secret. */
export async function createWebhook(
  cli: Cli,
  { url, events, description, json }: WebhookChanges & { readonly url: string; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const made = await session.millrace.webhooks.create({
      url,
      ...(events === undefined ? {} : { events: [...events] }),
      ...omitUndefined({ description }),
    });
    cli.terminal.data(json === true ? JSON.stringify(made) : made.secret);
    cli.terminal.say(`Webhook ${made.id} was created. Its secret is shown only once.`);
    await reportMissingServers(session);
  });
}

/** Changes a webhook. */
export async function changeWebhook(
  cli: Cli,
  { id, json, events, ...change }: WebhookChanges & { readonly id: string; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const chosen = events === undefined ? {} : { events: [...events] };
    const changed = await millrace.webhooks.change(id, { ...omitUndefined(change), ...chosen });
    if (json === true) cli.terminal.data(JSON.stringify(changed));
    else cli.terminal.say(`Webhook ${id} was changed. Its secret stays the same.`);
  });
}

/** Sends a test event to a webhook. */
export async function testWebhook(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const delivery = await session.millrace.webhooks.test(id);
    cli.terminal.data(json ? JSON.stringify(delivery) : delivery.id);
    cli.terminal.say(`Show the result with: millrace webhooks deliveries ${id} --limit 1`);
    await reportMissingServers(session);
  });
}

/** Removes a webhook. */
export async function removeWebhook(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const removed = await millrace.webhooks.remove(id);
    if (json) cli.terminal.data(JSON.stringify(removed));
    else cli.terminal.say(`Webhook ${id} was removed.`);
  });
}

/** Prints deliveries of a webhook, newest first. */
export async function listDeliveries(
  cli: Cli,
  {
    id,
    limit,
    json,
    ...query
  }: DeliveryQuery & { readonly id: string; readonly limit: number; readonly json?: boolean },
): Promise<void> {
  await withSession(cli, {}, async ({ millrace }) => {
    const found = await first(limit, millrace.webhooks.deliveries(id, query));
    if (json === true) cli.terminal.data(JSON.stringify(found, null, 2));
    else if (found.length === 0) cli.terminal.say('There are no deliveries.');
    else cli.terminal.data(columns(['DELIVERY', 'EVENT', 'RUN', 'STATE', 'ATTEMPTS', 'LAST RESULT'], found.map(rowOf)));
  });
}

/** Sends a delivery again. */
export async function redeliver(
  cli: Cli,
  { id, delivery, json }: { readonly id: string; readonly delivery: string; readonly json: boolean },
): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const ordered = await session.millrace.webhooks.redeliver(id, delivery);
    if (json) cli.terminal.data(JSON.stringify(ordered));
    else cli.terminal.say(`Delivery ${delivery} will be sent again.`);
    await reportMissingServers(session);
  });
}

/** Sends all failed deliveries again. */
export async function redeliverFailed(cli: Cli, id: string, json: boolean): Promise<void> {
  await withSession(cli, {}, async (session) => {
    const redelivered = await session.millrace.webhooks.redeliverFailed(id);
    if (json) cli.terminal.data(JSON.stringify({ redelivered }));
    else cli.terminal.say(`${redelivered} ${redelivered === 1 ? 'delivery' : 'deliveries'} will be sent again.`);
    await reportMissingServers(session);
  });
}

function rowOf({ id, type, runId = '', state, attempts }: Delivery): readonly string[] {
  const last = attempts.at(-1);
  const result = last === undefined ? '' : (last.status?.toString() ?? shortLine(last.error ?? ''));
  return [id, type, runId, state, String(attempts.length), result];
}
