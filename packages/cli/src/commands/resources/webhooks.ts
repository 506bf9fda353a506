import type { OperationInput } from '@millrace/client';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';

type WebhookEvent = NonNullable<OperationInput<'webhooks.create'>['events']>[number];

interface CreateFlags {
  readonly events?: readonly WebhookEvent[];
  readonly description?: string;
  readonly json?: boolean;
}

const events: readonly WebhookEvent[] = [
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.terminated',
  'task.created',
];

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
    .action(async ({ json }: { json?: boolean }) => {
      const { listWebhooks } = await import('../../resources/webhooks.ts');
      await listWebhooks(cli, json === true);
    });
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
    .action(async (url: string, flags: CreateFlags) => {
      const { createWebhook } = await import('../../resources/webhooks.ts');
      await createWebhook(cli, { url, ...flags });
    });
  addChanges(webhooks, cli);
  addDeliveries(webhooks, cli);
}

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
    .action(async (id: string, flags: CreateFlags & { readonly url?: string }) => {
      const { changeWebhook } = await import('../../resources/webhooks.ts');
      await changeWebhook(cli, { id, ...flags });
    });
  webhooks
    .command('test')
    .description('send a test event to a webhook, once, and print the id of its delivery')
    .argument('<id>', 'id of the webhook')
    .option('--json', 'print {id, type, state, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks test wh_01939a0c')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { testWebhook } = await import('../../resources/webhooks.ts');
      await testWebhook(cli, id, json === true);
    });
  webhooks
    .command('rm')
    .description('remove a webhook with its list of deliveries')
    .argument('<id>', 'id of the webhook')
    .option('--json', 'print {id, url, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks rm wh_01939a0c')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { removeWebhook } = await import('../../resources/webhooks.ts');
      await removeWebhook(cli, id, json === true);
    });
}

function addDeliveries(webhooks: Command, cli: Cli): void {
  webhooks
    .command('redeliver-failed')
    .description('send all deliveries of a webhook again that have failed')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .option('--json', 'print {redelivered}')
    .addHelpText('after', '\nExample:\n  millrace webhooks redeliver-failed wh_01939a0c')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { redeliverFailed } = await import('../../resources/webhooks.ts');
      await redeliverFailed(cli, id, json === true);
    });
  webhooks
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .addOption(new Option('--state <state>', 'deliveries in this state').choices([...states]))
    .option('--limit <n>', 'maximum number of deliveries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace webhooks deliveries wh_01939a0c')
    .action(async (id: string, flags: { limit: number; state?: (typeof states)[number]; json?: boolean }) => {
      const { listDeliveries } = await import('../../resources/webhooks.ts');
      await listDeliveries(cli, { id, ...flags });
    });
  webhooks
    .command('redeliver')
    .description('send a delivery again')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .argument('<delivery>', 'id of the delivery')
    .option('--json', 'print {id, event, state, …}')
    .addHelpText('after', '\nExample:\n  millrace webhooks redeliver wh_01939a0c DELIVERY')
    .action(async (id: string, delivery: string, { json }: { json?: boolean }) => {
      const { redeliver } = await import('../../resources/webhooks.ts');
      await redeliver(cli, { id, delivery, json: json === true });
    });
}

const states = ['pending', 'delivered', 'failed', 'gone'] as const;

function parseEvents(text: string): readonly WebhookEvent[] {
  return text.split(',').map((name) => {
    const event = events.find((one) => one === name.trim());
    if (event === undefined) throw new InvalidArgumentError(`Give some of ${events.join(', ')}, separated by commas.`);
    return event;
  });
}
