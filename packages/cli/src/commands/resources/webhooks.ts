import type { Delivery, OperationInput, Webhook } from '@millrace/client';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { reportMissingServers, withSession } from '../../client/session.ts';
import { parseCount } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import { shortLine } from '../../output/short-text.ts';
import type { Cli } from '../../process/cli.ts';
import { first } from '../../requests/pages.ts';

type WebhookEvent = NonNullable<OperationInput<'webhooks.create'>['events']>[number];

const events: readonly WebhookEvent[] = [
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.terminated',
  'task.created',
];

interface ChangeFlags {
  readonly url?: string;
  readonly events?: WebhookEvent[];
  readonly description?: string;
  readonly json?: boolean;
}

/** `millrace webhooks`: manages webhooks and their deliveries. */
export function addWebhooks(program: Command, cli: Cli): void {
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks and their deliveries')
    .addHelpText('after', '\nExample:\n  millrace webhooks create https://example.com/runs --events run.failed');
  webhooks
    .command('list')
    .description('list webhooks, without their secrets')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace webhooks list')
    .action(({ json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) =>
        printList(cli.terminal, await millrace.webhooks.list(), {
          json,
          empty: 'There are no webhooks. `millrace webhooks create URL` creates one.',
          head: ['ID', 'URL', 'EVENTS', 'DESCRIPTION', 'CREATED'],
          row: webhookRow,
        }),
      ),
    );
  webhooks
    .command('create')
    .description('create a webhook and print its secret, which is shown only once')
    .argument('<url>', 'address that receives a POST for each event')
    .option('--events <list>', `events, separated by commas: ${events.join(', ')} (default: all)`, parseEvents)
    .option('--description <text>', 'description for people')
    .option('--json', 'print {id, url, events, secret, …}')
    .addHelpText(
      'after',
      '\nExample:\n  millrace webhooks create https://example.com/runs --events run.failed,task.created',
    )
    .action((url: string, { json, ...options }: Omit<ChangeFlags, 'url'>) =>
      withSession(cli, {}, async (session) => {
        const created = await session.millrace.webhooks.create({ url, ...options });
        cli.terminal.data(json ? JSON.stringify(created) : created.secret);
        cli.terminal.say(`Webhook ${created.id} was created. Its secret is shown only once.`);
        await reportMissingServers(session);
      }),
    );
  addChanges(webhooks, cli);
  addDeliveries(webhooks, cli);
}

const webhookRow = ({ id, url, events: chosen, description = '', createdAt }: Webhook): readonly string[] => [
  id,
  url,
  chosen.length === 0 ? 'all' : chosen.join(','),
  description,
  new Date(createdAt).toISOString(),
];

function addChanges(webhooks: Command, cli: Cli): void {
  webhooks
    .command('change')
    .description('change a webhook; its secret stays the same')
    .argument('<id>', 'id of the webhook')
    .option('--url <url>', 'new address')
    .option('--events <list>', 'new events, separated by commas', parseEvents)
    .option('--description <text>', 'new description')
    .option('--json', 'print {id, url, events, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks change wh_01939a0c --events run.failed')
    .action((id: string, { json, ...change }: ChangeFlags) =>
      withSession(cli, {}, async ({ millrace }) => {
        const changed = await millrace.webhooks.change(id, change);
        if (json) cli.terminal.data(JSON.stringify(changed));
        else cli.terminal.say(`Webhook ${id} was changed. Its secret stays the same.`);
      }),
    );
  webhooks
    .command('test')
    .description('send a test event to a webhook, once, and print the id of its delivery')
    .argument('<id>', 'id of the webhook')
    .option('--json', 'print {id, type, state, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks test wh_01939a0c')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async (session) => {
        const delivery = await session.millrace.webhooks.test(id);
        cli.terminal.data(json ? JSON.stringify(delivery) : delivery.id);
        cli.terminal.say(`Show the result with: millrace webhooks deliveries ${id} --limit 1`);
        await reportMissingServers(session);
      }),
    );
  webhooks
    .command('rm')
    .description('remove a webhook with its list of deliveries')
    .argument('<id>', 'id of the webhook')
    .option('--json', 'print {id, url, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks rm wh_01939a0c')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        const removed = await millrace.webhooks.remove(id);
        if (json) cli.terminal.data(JSON.stringify(removed));
        else cli.terminal.say(`Webhook ${id} was removed.`);
      }),
    );
}

function addDeliveries(webhooks: Command, cli: Cli): void {
  webhooks
    .command('redeliver-failed')
    .description('send all deliveries of a webhook again that have failed')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .option('--json', 'print {redelivered}')
    .addHelpText('after', '\nExample:\n  millrace webhooks redeliver-failed wh_01939a0c')
    .action((id: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async (session) => {
        const redelivered = await session.millrace.webhooks.redeliverFailed(id);
        if (json) cli.terminal.data(JSON.stringify({ redelivered }));
        else cli.terminal.say(`${redelivered} ${redelivered === 1 ? 'delivery' : 'deliveries'} will be sent again.`);
        await reportMissingServers(session);
      }),
    );
  webhooks
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .addOption(new Option('--state <state>', 'deliveries in this state').choices([...states]))
    .option('--limit <n>', 'maximum number of deliveries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace webhooks deliveries wh_01939a0c')
    .action((id: string, { limit, json, ...query }: DeliveriesFlags) =>
      withSession(cli, {}, async ({ millrace }) =>
        printList(cli.terminal, await first(limit, millrace.webhooks.deliveries(id, query)), {
          json,
          empty: 'There are no deliveries.',
          head: ['DELIVERY', 'EVENT', 'RUN', 'STATE', 'ATTEMPTS', 'LAST RESULT'],
          row: deliveryRow,
        }),
      ),
    );
  webhooks
    .command('redeliver')
    .description('send a delivery again')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .argument('<delivery>', 'id of the delivery')
    .option('--json', 'print {id, event, state, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks redeliver wh_01939a0c DELIVERY')
    .action((id: string, delivery: string, { json }: { json?: boolean }) =>
      withSession(cli, {}, async (session) => {
        const ordered = await session.millrace.webhooks.redeliver(id, delivery);
        if (json) cli.terminal.data(JSON.stringify(ordered));
        else cli.terminal.say(`Delivery ${delivery} will be sent again.`);
        await reportMissingServers(session);
      }),
    );
}

const states = ['pending', 'delivered', 'failed', 'gone'] as const;

interface DeliveriesFlags {
  readonly state?: (typeof states)[number];
  readonly limit: number;
  readonly json?: boolean;
}

function deliveryRow({ id, type, runId = '', state, attempts }: Delivery): readonly string[] {
  const last = attempts.at(-1);
  const result = last === undefined ? '' : (last.status?.toString() ?? shortLine(last.error ?? ''));
  return [id, type, runId, state, String(attempts.length), result];
}

function parseEvents(text: string): WebhookEvent[] {
  return text.split(',').map((name) => {
    const event = events.find((one) => one === name.trim());
    if (event === undefined) throw new InvalidArgumentError(`Give some of ${events.join(', ')}, separated by commas.`);
    return event;
  });
}
