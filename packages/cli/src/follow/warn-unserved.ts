import { setInterval } from 'node:timers/promises';
import type { LocalSession } from '../client/session.ts';

/** Between two looks, in milliseconds. */
const everyMs = 2000;

/** Warns, once for each queue, of work that waits in a queue that no worker serves; until the signal is aborted. */
export async function warnUnserved(
  { machine: { runtime }, cli }: LocalSession,
  run: string,
  signal: AbortSignal,
): Promise<void> {
  // Loaded here: commands that speak to a server do not need the runtime, which takes half a second to load.
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
