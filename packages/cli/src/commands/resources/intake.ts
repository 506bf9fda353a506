import type { Command } from 'commander';
import type { Cli } from '../../process/cli.ts';

/** `millrace intake`: jobs of the intake queue that were refused. */
export function addIntake(program: Command, cli: Cli): void {
  const intake = program.command('intake').description('jobs of the intake queue that could not be taken');
  intake
    .command('list')
    .description('list refused jobs, newest first, with the reason')
    .option('--json', 'print a JSON array, with what the jobs hold')
    .action(async ({ json }: { json?: boolean }) => {
      const { listRefused } = await import('../../resources/refused-jobs.ts');
      await listRefused(cli, json === true);
    });
  intake
    .command('retry')
    .description('take refused jobs again')
    .argument('[id]', 'the id of one')
    .option('--all', 'all of them')
    .option('--json', 'print {ids}')
    .action(async (id: string | undefined, { all, json }: { all?: boolean; json?: boolean }) => {
      const { retryRefused } = await import('../../resources/refused-jobs.ts');
      await retryRefused(cli, { id, all: all === true, json: json === true });
    });
  intake
    .command('drop')
    .description('forget a refused job, which makes room for another one of its id')
    .argument('<id>', 'its id')
    .option('--json', 'print {ids}')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { dropRefused } = await import('../../resources/refused-jobs.ts');
      await dropRefused(cli, { id, json: json === true });
    });
}
