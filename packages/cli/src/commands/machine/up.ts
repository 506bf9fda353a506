import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { parsePort } from '../../options/arguments.ts';
import type { ApiFlags, MetricsFlags } from '../../options/server-options.ts';
import {
  addApiOptions,
  addConcurrencyOption,
  addLogOption,
  metricsAddressOf,
  withMetricsOptions,
} from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';

interface UpFlags extends MetricsFlags, ApiFlags {
  readonly concurrency?: number;
  readonly port?: number;
}

/** `millrace up`: starts Redis, a worker and, with a port, the HTTP API from one process. */
export function addUp(program: Command, cli: Cli): void {
  const command = addConcurrencyOption(withMetricsOptions(program.command('up')))
    .description('start Redis (unless REDIS_URL names one) and a worker, until Ctrl-C')
    .addHelpText('after', '\nExample:\n  millrace up --port 4700')
    .option('--port <n>', 'port of the HTTP API (default: it is not served); 0: any free port', parsePort);
  addLogOption(addApiOptions(command)).action(async ({ concurrency, port, host, ui, ...flags }: UpFlags) => {
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
