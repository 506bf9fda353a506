import { omitUndefined } from '@millrace/core/omit-undefined';
import type { Command } from 'commander';
import type { MetricsFlags } from '../../options/metrics-options.ts';
import { metricsAddressOf, withMetricsOptions } from '../../options/metrics-options.ts';
import { parsePort } from '../../options/port-argument.ts';
import type { Cli } from '../../process/cli.ts';

interface ServeFlags extends MetricsFlags {
  readonly port: number;
  readonly host?: string;
  /** False under `--no-ui`. */
  readonly ui: boolean;
}

/** `millrace serve`: the HTTP API. */
export function addServe(program: Command, cli: Cli): void {
  withMetricsOptions(program.command('serve'))
    .description('serve the HTTP API until Ctrl-C; workers are separate processes')
    .addHelpText('after', '\nExample:\n  millrace serve --port 4700')
    .option('--port <n>', 'port of the HTTP API; 0: any free port', parsePort, 4700)
    .option(
      '--host <address>',
      'address on which the HTTP API listens (default: 127.0.0.1); on other addresses it always requires a key',
    )
    .option('--no-ui', 'do not serve the dashboard')
    .option('--json', 'no effect: the log is always JSON lines on stderr')
    .action(async ({ port, host, ui, ...flags }: ServeFlags) => {
      const { serveApi } = await import('../../serve/serve-api.ts');
      await serveApi(cli, { port, ui, ...omitUndefined({ host }), ...metricsAddressOf(flags) });
    });
}
