import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace operations`: shows the state of the installation. */
export function addOperations(program: Command, cli: Cli): void {
  program
    .command('operations')
    .description('print what needs attention, the workers, the queues and Redis')
    .addHelpText('after', '\nExample:\n  millrace operations')
    .option('--json', 'print {alerts, workers, queues, agenda, redis, …}')
    .action(async ({ json }: { json?: boolean }) => {
      const { printOperations } = await import('../../resources/operations.ts');
      await printOperations(cli, json === true);
    });
}
