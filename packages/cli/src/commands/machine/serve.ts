import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import { parsePort } from '../../options/arguments.ts';
import type { ApiFlags, MetricsFlags } from '../../options/server-options.ts';
import { addApiOptions, addLogOption, metricsAddressOf, withMetricsOptions } from '../../options/server-options.ts';
import type { Cli } from '../../process/cli.ts';

interface ServeFlags extends MetricsFlags, ApiFlags {
  readonly port: number;
}

/** `millrace serve`: serves the HTTP API. */
export function addServe(program: Command, cli: Cli): void {
  const command = withMetricsOptions(program.command('serve'))
    .description('serve the HTTP API until Ctrl-C; workers are separate processes')
    .addHelpText('after', '\nExample:\n  millrace serve --port 4700')
    .option('--port <n>', 'port of the HTTP API; 0: any free port', parsePort, 4700);
  addLogOption(addApiOptions(command)).action(async ({ port, host, ui, ...flags }: ServeFlags) => {
    const { serveApi } = await import('../../serve/serve-api.ts');
    await serveApi(cli, { port, ui, ...omitUndefined({ host }), ...metricsAddressOf(flags) });
  });
}
