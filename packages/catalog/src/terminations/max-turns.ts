import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { conditionMessageFilter, sourcesField } from './message-filter.ts';

/** Configuration of a `max_turns` condition. */
export const MaxTurnsConfig = z.object({
  max_turns: z
    .int({ error: 'Write a whole number, such as `max_turns: 10`.' })
    .min(1, { error: 'Write a number of at least 1.' })
    .describe('Number of turns that satisfies the condition.'),
  sources: sourcesField
    .optional()
    .describe(
      'Nodes whose activations count as turns, whatever their type; agents, people, programs and graphs if omitted.',
    ),
});

/** Condition that counts turns: activations of nodes that speak. */
export const maxTurns = defineTermination({
  type: 'max_turns',
  summary: 'Satisfied after this number of turns of nodes that speak.',
  config: MaxTurnsConfig,
  messageFilter: ({ sources }) => conditionMessageFilter(sources === undefined ? {} : { sources }),
  observe({ sources }, { turn, source, nested, task }) {
    if (nested || task) return undefined;
    return (sources === undefined ? turn : sources.includes(source)) ? 1 : undefined;
  },
  step({ max_turns: max }, state: number | undefined, { observed = 0 }: { observed?: number }) {
    const count = (state ?? 0) + observed;
    if (count < max) return { type: 'stepped', state: count };
    return { type: 'stepped', state: count, reason: `max_turns: ${count} of ${max}` };
  },
});
