import type { OperationInput } from '@millrace/client';
import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
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
  addDeliveries(webhooks, cli);
}

function addDeliveries(webhooks: Command, cli: Cli): void {
  webhooks
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<id>', 'id of the webhook; `runs` for the webhooks of single runs')
    .option('--limit <n>', 'maximum number of deliveries', parseCount, 20)
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  millrace webhooks deliveries wh_01939a0c')
    .action(async (id: string, flags: { limit: number; json?: boolean }) => {
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

function parseEvents(text: string): readonly WebhookEvent[] {
  return text.split(',').map((name) => {
    const event = events.find((one) => one === name.trim());
    if (event === undefined) throw new InvalidArgumentError(`Give some of ${events.join(', ')}, separated by commas.`);
    return event;
  });
}
