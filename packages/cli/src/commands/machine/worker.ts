import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { parseQueues } from '../../options/arguments.ts';
import type { LogFlags, MetricsFlags } from '../../options/server-options.ts';
import {
  addConcurrencyOption,
  addLogOption,
  metricsAddressOf,
  withMetricsOptions,
} from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';
import { work } from '../../serve/work.ts';

interface WorkerFlags extends MetricsFlags, LogFlags {
  readonly concurrency?: number;
  readonly queues?: ReturnType<typeof parseQueues>;
}

/** `millrace worker`: executes runs until it is interrupted. */
export function addWorker(program: Command, cli: Cli): void {
  const command = addConcurrencyOption(withMetricsOptions(program.command('worker')))
    .description('execute runs until Ctrl-C; any number of workers can share them')
    .addHelpText('after', '\nExample:\n  millrace worker --concurrency 32 --queues default,slow')
    .option(
      '--queues <names>',
      'queues that it serves, separated by commas; * for all (default: default)',
      parseQueues,
    );
  addLogOption(command).action(({ concurrency, queues, json, ...flags }: WorkerFlags) =>
    work(cli, {
      command: 'worker',
      log: { level: 'info', ...omitUndefined({ json }) },
      ...omitUndefined({ concurrency, queues }),
      ...metricsAddressOf(flags),
    }),
  );
}
