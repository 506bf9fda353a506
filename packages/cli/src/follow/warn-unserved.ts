import { setInterval } from 'node:timers/promises';
import type { RunId } from '@millrace/core';
import type { LocalSession } from '../client/session.ts';

/** Between two looks, in milliseconds. */
const everyMs = 2000;

/** Says, once for each queue, that a run waits in a queue that nobody serves; until the signal is aborted. */
export async function warnUnserved(
  { machine: { runtime }, cli }: LocalSession,
  run: RunId,
  signal: AbortSignal,
): Promise<void> {
  // Loaded here: commands that speak to a server do not need the runtime, which takes half a second to load.
  const { unservedQueues: unservedBy } = await import('@millrace/runtime');
  const said = new Set<string>();
  try {
    for await (const _tick of setInterval(everyMs, undefined, { signal })) {
      for (const { queue, node } of await unservedBy(runtime, run)) {
        if (said.has(queue)) continue;
        said.add(queue);
        cli.terminal.say(
          `! ${node} waits in the queue ${queue}, which no worker serves. millrace worker --queues ${queue} starts one.`,
          'yellow',
        );
      }
    }
  } catch (error) {
    if (!signal.aborted) cli.terminal.say(`! it cannot be seen whether queues are served: ${String(error)}`);
  }
}
