import { setTimeout as pause } from 'node:timers/promises';
import type { Runtime, Tracing } from '@millrace/runtime';
import type { Cli } from '../process/cli.ts';

/** Time that a command that ends waits for a collector that does not answer, in milliseconds. */
const closeTimeoutMs = 3000;

/** Traces what this process does from here on, where the environment says so; what is deferred sends the rest. */
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
  defer(() => Promise.race([tracing.close().catch(() => undefined), pause(closeTimeoutMs, undefined, { ref: false })]));
  return tracing;
}
