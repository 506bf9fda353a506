import type { Command } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface SetFlags {
  readonly tenant: string;
  readonly workflow?: string;
  readonly json?: boolean;
}

/** `millrace limits`: how much of the workers tenants and workflows may have. */
export function addLimits(program: Command, cli: Cli): void {
  const limits = program.command('limits').description('how much of the workers tenants and workflows may have');
  limits
    .command('list')
    .description('list limits')
    .option('--json', 'print a JSON array')
    .action(async ({ json }: { json?: boolean }) => {
      const { listLimits } = await import('../../resources/limits.ts');
      await listLimits(cli, json === true);
    });
  limits
    .command('set')
    .description('let a tenant, or one of its workflows, have only so many activations queued or at work at a time')
    .argument('<n>', 'how many', parseCount)
    .option('--tenant <name>', 'whose', 'default')
    .option('--workflow <name>', 'of this workflow (default: of all together)')
    .option('--json', 'print {tenant, workflow, activations}')
    .action(async (activations: number, { json, ...whose }: SetFlags) => {
      const { setLimit } = await import('../../resources/limits.ts');
      await setLimit(cli, { ...whose, activations }, json === true);
    });
  limits
    .command('lift')
    .description('take a limit back')
    .option('--tenant <name>', 'whose', 'default')
    .option('--workflow <name>', 'of this workflow (default: of all together)')
    .option('--json', 'print {lifted}')
    .action(async ({ json, ...whose }: SetFlags) => {
      const { liftLimit } = await import('../../resources/limits.ts');
      await liftLimit(cli, whose, json === true);
    });
}
