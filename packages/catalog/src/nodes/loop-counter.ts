import { completed, defineNode, textMessage } from '@millrace/core';
import { z } from 'zod';

/** Configuration of a `loop_counter` node. */
export const LoopCounterConfig = z.object({
  max_iterations: z
    .int({ error: 'Write a whole number, such as `max_iterations: 3`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .default(10)
    .describe('Number of the trigger at which the node emits its message; it emits nothing before.'),
  reset_on_emit: z
    .boolean({ error: 'Write `true` or `false`.' })
    .default(true)
    .describe('true restarts the count after a message; false emits at every trigger from then on.'),
  message: z
    .string({ error: 'Write the text to emit at the limit.' })
    .nullish()
    .describe('Text at the limit; `Loop limit reached (<n>)` if omitted or empty.'),
});

/**
 * Loop guard that counts its triggers and emits a message only at the limit, which ends loops. Its state is the count.
 */
export const loopCounter = defineNode({
  type: 'loop_counter',
  summary: 'Emits nothing until it has been triggered a number of times, then emits a message.',
  config: LoopCounterConfig,
  traits: { guard: true, state: 'counters' },
  limit: ({ max_iterations }) => ({ triggers: max_iterations }),
  execute({ max_iterations: max, reset_on_emit: reset, message }, _input, host) {
    const count = (typeof host.state === 'number' ? host.state : 0) + 1;
    if (count < max) return completed([], { read: host.state, write: count });
    const text = message || `Loop limit reached (${max})`;
    // The original engine names the source of such a message only outside of fan-outs.
    const source = host.compat && host.isUnit ? '' : host.node;
    const output = {
      ...textMessage('assistant', text, source),
      metadata: { loop_counter: { count, max, reset_on_emit: reset } },
    };
    return completed([output], { read: host.state, write: reset ? 0 : count });
  },
});
