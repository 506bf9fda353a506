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
    .description('serve the HTTP API until Ctrl-C; workers are started apart')
    .option('--port <n>', 'where it listens; 0: any port that is free', parsePort, 4700)
    .option('--host <address>', 'an address to listen on (default: 127.0.0.1); elsewhere everybody is asked for a key')
    .option('--no-ui', 'do not serve the dashboard')
    .option('--json', 'nothing to print: the log is JSON lines on stderr in any case')
    .action(async ({ port, host, ui, ...flags }: ServeFlags) => {
      const { serveApi } = await import('../../serve/serve-api.ts');
      await serveApi(cli, { port, ui, ...(host === undefined ? {} : { host }), ...metricsAddressOf(flags) });
    });
}
