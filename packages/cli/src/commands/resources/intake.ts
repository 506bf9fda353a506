import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace intake`: lists, retries and removes refused jobs of the intake queue. */
export function addIntake(program: Command, cli: Cli): void {
  const intake = program
    .command('intake')
    .description('list, retry and drop refused jobs of the intake queue')
    .addHelpText('after', '\nExample:\n  millrace intake list');
  intake
    .command('list')
    .description('list refused jobs, newest first, with the reason')
    .addHelpText('after', '\nExample:\n  millrace intake list')
    .option('--json', 'print a JSON array with the data of the jobs')
    .action(async ({ json }: { json?: boolean }) => {
      const { listRefused } = await import('../../resources/refused-jobs.ts');
      await listRefused(cli, json === true);
    });
  intake
    .command('retry')
    .description('retry refused jobs')
    .addHelpText('after', '\nExample:\n  millrace intake retry order-4711')
    .argument('[id]', 'id of a job')
    .option('--all', 'all refused jobs')
    .option('--json', 'print {ids}')
    .action(async (id: string | undefined, { all, json }: { all?: boolean; json?: boolean }) => {
      const { retryRefused } = await import('../../resources/refused-jobs.ts');
      await retryRefused(cli, { id, all: all === true, json: json === true });
    });
  intake
    .command('drop')
    .description('remove a refused job, so that another job can have its id')
    .addHelpText('after', '\nExample:\n  millrace intake drop order-4711')
    .argument('<id>', 'id of the job')
    .option('--json', 'print {ids}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { dropRefused } = await import('../../resources/refused-jobs.ts');
      await dropRefused(cli, { id, json: json === true });
    });
}
