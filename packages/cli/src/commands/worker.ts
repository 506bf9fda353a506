import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { parseCount } from '../count-argument.ts';

/** `millrace worker`: works on runs until it is told to stop. */
export function addWorker(program: Command, cli: Cli): void {
  program
    .command('worker')
    .description('work on runs until Ctrl-C; any number of workers can share them')
    .option('--concurrency <n>', 'activations worked on at a time', parseCount)
    .option('--json', 'nothing to print: the log is JSON lines on stderr in any case')
    .action(async ({ concurrency }: { concurrency?: number }) => {
      const { serve } = await import('../serve.ts');
      await serve(cli, { logLevel: 'info', ...(concurrency === undefined ? {} : { concurrency }) });
    });
}
