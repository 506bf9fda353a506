import { omitUndefined } from '@millrace/core/omit-undefined';
import type { MetricsAddress } from '@millrace/runtime';
import type { Command } from 'commander';
import { parsePort } from './port-argument.ts';

/** Options for the address of the metrics. */
export interface MetricsFlags {
  readonly metricsPort?: number;
  readonly metricsHost?: string;
}

/** Adds these options to a command. */
export const withMetricsOptions = (command: Command): Command =>
  command
    .option('--metrics-port <n>', 'port of the metrics for Prometheus; 0: any free port', parsePort)
    .option(
      '--metrics-host <address>',
      'address of the metrics (default: 127.0.0.1); everyone who can reach it can read them',
    );

/** Returns the address of the options. */
export function metricsAddressOf({ metricsPort: port, metricsHost: host }: MetricsFlags): { metrics?: MetricsAddress } {
  if (port === undefined) return {};
  return { metrics: omitUndefined({ port, host }) };
}
