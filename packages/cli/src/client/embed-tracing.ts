import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime, Tracing } from '@millrace/runtime';
import type { Cli } from '../process/cli.ts';

/** Maximum time that an ending command waits for a collector that does not respond, in milliseconds. */
const closeTimeoutMs = 3000;

/** Starts tracing in this process if the environment enables it; `defer` receives the function that sends the last spans. */
export async function embedTracing(
  cli: Cli,
  runtime: Runtime,
  defer: (close: () => Promise<void>) => void,
): Promise<Tracing | undefined> {
  const { tracing: config } = await cli.config();
  if (config === undefined) return undefined;
  const { createTracing } = await import('@millrace/runtime');
  const tracing = await createTracing({ service: 'millrace', ...config });
  runtime.instrumentation.add(tracing.instrumentation);
  defer(() => Promise.race([tracing.close().catch(() => undefined), sleep(closeTimeoutMs, undefined, { ref: false })]));
  return tracing;
}
