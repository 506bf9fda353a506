import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { parseCount } from '../count-argument.ts';

/** `millrace up`: Redis and a worker in one process. */
export function addUp(program: Command, cli: Cli): void {
  program
    .command('up')
    .description('bring up Redis (unless REDIS_URL names one) and a worker, until Ctrl-C')
    .option('--concurrency <n>', 'activations worked on at a time', parseCount)
    .option('--json', 'nothing to print: the log is JSON lines on stderr in any case')
    .action(async ({ concurrency }: { concurrency?: number }) => {
      const { serve } = await import('../serve.ts');
      await serve(cli, { logLevel: 'warn', ...(concurrency === undefined ? {} : { concurrency }) });
    });
}
