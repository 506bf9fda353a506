import type { Limit } from '@millrace/client';
import type { Command } from 'commander';
import { withSession } from '../../client/session.ts';
import { parseCount } from '../../options/arguments.ts';
import { printList } from '../../output/print-list.ts';
import type { Cli } from '../../process/cli.ts';

/** Tenant or workflow of a limit. */
interface TargetFlags extends Omit<Limit, 'activations'> {
  readonly json?: boolean;
}

/** `millrace limits`: manages the shares of the workers that tenants and workflows may use. */
export function addLimits(program: Command, cli: Cli): void {
  const limits = program
    .command('limits')
    .description('limits of parallel activations of tenants and workflows')
    .addHelpText('after', '\nExample:\n  millrace limits set 20 --workflow poem');
  limits
    .command('list')
    .description('list limits')
    .addHelpText('after', '\nExample:\n  millrace limits list')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) =>
      withSession(cli, {}, async ({ millrace }) => {
        await printList(cli.terminal, await millrace.limits.list(), {
          json,
          empty: 'There are no limits. `millrace limits set` sets one.',
          head: ['TENANT', 'WORKFLOW', 'ACTIVATIONS'],
          row: ({ tenant, workflow = '(all)', activations }) => [tenant, workflow, String(activations)],
        });
        if (json) return;
        for (const { tenant, bytes, limit } of await millrace.limits.stored()) {
          const [has, may] = [bytes, limit].map((count) => count.toLocaleString('en'));
          cli.terminal.say(`Tenant ${tenant} has stored ${has} of ${may} bytes.`);
        }
      }),
    );
  addTarget(limits.command('set'))
    .description(
      'limit how many activations of a tenant, or of one of its workflows, are queued or executing at a time',
    )
    .addHelpText('after', '\nExample:\n  millrace limits set 20 --workflow poem')
    .argument('<n>', 'maximum number of activations', parseCount)
    .option('--json', 'print {tenant, workflow, activations}')
    .action((activations: number, { json, ...target }: TargetFlags) =>
      withSession(cli, {}, async ({ millrace }) => {
        const limit = { ...target, activations };
        await millrace.limits.set(limit);
        if (json) cli.terminal.data(JSON.stringify(limit));
        else cli.terminal.say(`${nameOf(target)}: ${activations} activations at a time.`);
      }),
    );
  addTarget(limits.command('lift'))
    .description('remove a limit')
    .addHelpText('after', '\nExample:\n  millrace limits lift --workflow poem')
    .option('--json', 'print {lifted}')
    .action(({ json, ...target }: TargetFlags) =>
      withSession(cli, {}, async ({ millrace }) => {
        const lifted = await millrace.limits.lift(target);
        if (json) cli.terminal.data(JSON.stringify({ lifted }));
        else cli.terminal.say(`${nameOf(target)}: ${lifted ? 'the limit is lifted' : 'there was no limit'}.`);
      }),
    );
}

const addTarget = (command: Command): Command =>
  command
    .option('--tenant <name>', 'whose', 'default')
    .option('--workflow <name>', 'limit of this workflow (default: of all workflows together)');

const nameOf = ({ tenant, workflow }: TargetFlags): string =>
  workflow === undefined ? `Tenant ${tenant}` : `Workflow ${workflow} of tenant ${tenant}`;
