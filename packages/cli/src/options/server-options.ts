import { omitUndefined } from '@millrace/core/omit-undefined';
import type { MetricsAddress } from '@millrace/runtime';
import type { Command } from 'commander';
import { parseCount, parsePort } from './arguments.ts';

/** Port of the HTTP API of a command that names none. */
export const defaultPort = 4700;

/** Options of the HTTP API, except its port. */
export interface ApiFlags {
  readonly host?: string;
  /** False under `--no-ui`. */
  readonly ui: boolean;
}

/** Adds the options of the HTTP API, except its port. */
export const addApiOptions = (command: Command): Command =>
  command
    .option(
      '--host <address>',
      'address on which the HTTP API listens (default: 127.0.0.1); on other addresses it always requires a key',
    )
    .option('--no-ui', 'do not serve the dashboard');

/** Adds the option for the number of activations that a worker executes at a time. */
export const addConcurrencyOption = (command: Command): Command =>
  command.option('--concurrency <n>', 'maximum number of activations that execute at a time', parseCount);

/** Options of the log. */
export interface LogFlags {
  readonly json?: boolean;
}

/** Adds the option of the log of a command that runs until it is stopped. */
export const addLogOption = (command: Command): Command =>
  command.option('--json', 'write the log as JSON lines on stderr also on a terminal, which shows sentences otherwise');

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
