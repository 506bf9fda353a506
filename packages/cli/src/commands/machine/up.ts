import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { parsePort } from '../../options/arguments.ts';
import type { ApiFlags, LogFlags, MetricsFlags } from '../../options/server-options.ts';
import {
  addApiOptions,
  addConcurrencyOption,
  addLogOption,
  defaultPort,
  metricsAddressOf,
  withMetricsOptions,
} from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';
import { work } from '../../serve/work.ts';

interface UpFlags extends MetricsFlags, ApiFlags, LogFlags {
  readonly concurrency?: number;
  readonly port?: number;
  readonly local?: boolean;
}

/** `millrace up`: starts Redis, a worker, and the dashboard with the HTTP API from one process. */
export function addUp(program: Command, cli: Cli): void {
  const command = addConcurrencyOption(withMetricsOptions(program.command('up')))
    .description('start Redis (unless REDIS_URL names one), a worker and the dashboard, until Ctrl-C')
    .addHelpText(
      'after',
      '\nWithout --port, --no-ui starts no HTTP API either.\n\nExample:\n  millrace up\n  millrace up --local',
    )
    .option(
      '--port <n>',
      `port of the dashboard and the HTTP API (default: ${defaultPort}, or the next free one); 0: any free port`,
      parsePort,
    )
    .option('--local', 'keep everything in memory, without Redis; nothing survives the process');
  addLogOption(addApiOptions(command)).action(
    async ({ concurrency, port, host, ui, json, local = false, ...flags }: UpFlags) =>
      work(cli, {
        command: 'up',
        local,
        log: { level: 'warn', ...omitUndefined({ json }) },
        queues: (await cli.config()).queues ?? 'all',
        ...omitUndefined({ concurrency }),
        ...metricsAddressOf(flags),
        ...(ui || port !== undefined
          ? { api: { port: port ?? { from: defaultPort }, ui, ...omitUndefined({ host }) } }
          : {}),
      }),
  );
}
