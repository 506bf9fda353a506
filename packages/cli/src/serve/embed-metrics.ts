import type { Metrics, MetricsAddress } from '@millrace/runtime';
import type { LocalSession } from '../client/session.ts';

/** Scope and address of metrics. */
export interface MetricsOptions {
  /** A separate port; absent: only the HTTP API serves the metrics. */
  readonly address?: MetricsAddress;
  /** Includes the installation as a whole: one process in it is enough. */
  readonly scope: 'process' | 'installation';
}

/** Time within which Redis answers a check, in milliseconds. */
const checkTimeoutMs = 1000;

/** Counts what this process does from here on, and says where that can be read. */
export async function embedMetrics(session: LocalSession, { address, scope }: MetricsOptions): Promise<Metrics> {
  const { cli, machine } = session;
  const { instrumentation, shared } = machine.runtime;
  const { createMetrics, serveMetrics } = await import('@millrace/runtime');
  const metrics = await createMetrics(scope === 'installation' ? shared?.admin : undefined, shared?.outageSeconds);
  instrumentation.add(metrics.instrumentation);
  if (address === undefined) return metrics;
  const check = async () => shared?.outages.check(checkTimeoutMs);
  const server = await serveMetrics({ metrics, check }, address);
  session.defer(() => server.close());
  cli.terminal.say(`Metrics are at ${server.url}.`);
  return metrics;
}
