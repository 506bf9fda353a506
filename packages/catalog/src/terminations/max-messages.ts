import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { eventsField, seen, sightFields, sightOf, visible } from './message-filter.ts';

/** Configuration of a `max_messages` condition. */
export const MaxMessagesConfig = z
  .object({
    max_messages: z
      .int({ error: 'Write a whole number, such as `max_messages: 10`.' })
      .min(1, { error: 'Write a number of at least 1.' })
      .describe('It is met when so many messages have been said.'),
    ...sightFields,
    include_events: eventsField('Whether events count, such as calls of tools; they do not when left out.'),
    include_agent_event: eventsField('Another spelling of include_events.'),
  })
  .transform(({ max_messages, include_events, include_agent_event, ...fields }) => ({
    max_messages,
    ...seen(fields),
    include_events: include_events ?? include_agent_event ?? false,
  }));

/** Counts messages. */
export const maxMessages = defineTermination({
  type: 'max_messages',
  summary: 'Met when so many messages have been said, the task included.',
  config: MaxMessagesConfig,
  sight: (config) => sightOf(config),
  observe: (config, delta) => visible(config, delta).length || undefined,
  step({ max_messages: max }, state: number | undefined, { observed = 0 }: { observed?: number }) {
    const count = (state ?? 0) + observed;
    if (count < max) return { type: 'stepped', state: count };
    return { type: 'stepped', state: count, reason: `max_messages: ${count} of ${max}` };
  },
});
