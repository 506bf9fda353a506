import { setInterval } from 'node:timers/promises';
import type { LocalSession } from '../client/session.ts';

/** Interval of the checks, in milliseconds. */
const everyMs = 2000;

/** Warns once about each queue that has work and no worker, until the signal is aborted. */
export async function warnUnserved(
  { machine: { runtime }, cli }: LocalSession,
  run: string,
  signal: AbortSignal,
): Promise<void> {
  // Loaded here: commands over HTTP do not need the runtime, which takes half a second to load.
  const { unservedQueues } = await import('@millrace/runtime');
  const said = new Set<string>();
  try {
    if ((await runtime.runs.refresh(run))?.plan.routed !== true) return;
    for await (const _tick of setInterval(everyMs, undefined, { signal })) {
      for (const { queue, node } of await unservedQueues(runtime, run)) {
        if (said.has(queue)) continue;
        said.add(queue);
        cli.terminal.say(
          `! ${node} waits in the queue ${queue}, which no worker serves. millrace worker --queues ${queue} starts one.`,
          'yellow',
        );
      }
    }
  } catch (error) {
    if (!signal.aborted) cli.terminal.say(`! the workers of the queues cannot be read: ${String(error)}`);
  }
}
