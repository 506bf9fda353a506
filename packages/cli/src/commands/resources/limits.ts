import type { Command } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface SetFlags {
  readonly tenant: string;
  readonly workflow?: string;
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
    .action(async ({ json }: { json?: boolean }) => {
      const { listLimits } = await import('../../resources/limits.ts');
      await listLimits(cli, json === true);
    });
  limits
    .command('set')
    .description(
      'limit how many activations of a tenant, or of one of its workflows, are queued or executing at a time',
    )
    .addHelpText('after', '\nExample:\n  millrace limits set 20 --workflow poem')
    .argument('<n>', 'maximum number of activations', parseCount)
    .option('--tenant <name>', 'whose', 'default')
    .option('--workflow <name>', 'limit of this workflow (default: of all workflows together)')
    .option('--json', 'print {tenant, workflow, activations}')
    .action(async (activations: number, { json, ...whose }: SetFlags) => {
      const { setLimit } = await import('../../resources/limits.ts');
      await setLimit(cli, { ...whose, activations }, json === true);
    });
  limits
    .command('lift')
    .description('remove a limit')
    .addHelpText('after', '\nExample:\n  millrace limits lift --workflow poem')
    .option('--tenant <name>', 'whose', 'default')
    .option('--workflow <name>', 'limit of this workflow (default: of all workflows together)')
    .option('--json', 'print {lifted}')
    .action(async ({ json, ...whose }: SetFlags) => {
      const { liftLimit } = await import('../../resources/limits.ts');
      await liftLimit(cli, whose, json === true);
    });
}
