import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { parseCount } from '../../options/count-argument.ts';
import type { MetricsFlags } from '../../options/metrics-options.ts';
import { metricsAddressOf, withMetricsOptions } from '../../options/metrics-options.ts';
import { parsePort } from '../../options/port-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface UpFlags extends MetricsFlags {
  readonly concurrency?: number;
  readonly port?: number;
  readonly host?: string;
  /** False under `--no-ui`. */
  readonly ui: boolean;
}

/** `millrace up`: Redis and a worker in one process, and the HTTP API if it is asked for. */
export function addUp(program: Command, cli: Cli): void {
  withMetricsOptions(program.command('up'))
    .description('start Redis (unless REDIS_URL names one) and a worker, until Ctrl-C')
    .addHelpText('after', '\nExample:\n  millrace up --port 4700')
    .option('--concurrency <n>', 'maximum number of activations that execute at a time', parseCount)
    .option('--port <n>', 'port of the HTTP API (default: it is not served); 0: any free port', parsePort)
    .option(
      '--host <address>',
      'address on which the HTTP API listens (default: 127.0.0.1); on other addresses it always requires a key',
    )
    .option('--no-ui', 'do not serve the dashboard')
    .option('--json', 'no effect: the log is always JSON lines on stderr')
    .action(async ({ concurrency, port, host, ui, ...flags }: UpFlags) => {
      const { serve } = await import('../../serve/serve.ts');
      await serve(cli, {
        command: 'up',
        logLevel: 'warn',
        queues: (await cli.config()).queues ?? 'all',
        ...omitUndefined({ concurrency }),
        ...metricsAddressOf(flags),
        ...(port === undefined ? {} : { api: omitUndefined({ port, ui, host }) }),
      });
    });
}
