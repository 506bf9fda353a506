import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { orderRun } from '../order-run.ts';

/** `millrace pause`: lets nothing new start in a run. */
export function addPause(program: Command, cli: Cli): void {
  program
    .command('pause')
    .description('let nothing new start in a run; what is at work may finish')
    .argument('<run>', 'its id')
    .option('--json', 'print {runId, status}')
    .action(async (run: string, { json }: { json?: boolean }) =>
      orderRun(cli, { run, json: json === true, carryOut: (runs) => runs.pause(run) }),
    );
}
