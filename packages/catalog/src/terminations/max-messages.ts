import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import {
  conditionMessageFilter,
  eventsField,
  filterItems,
  messageFilterFields,
  withFilterDefaults,
} from './message-filter.ts';

/** Configuration of a `max_messages` condition. */
export const MaxMessagesConfig = z
  .object({
    max_messages: z
      .int({ error: 'Write a whole number, such as `max_messages: 10`.' })
      .min(1, { error: 'Write a number of at least 1.' })
      .describe('Number of messages that satisfies the condition.'),
    ...messageFilterFields,
    include_events: eventsField('Whether events count, such as calls of tools; they do not when left out.'),
    include_agent_event: eventsField('Another spelling of include_events.'),
  })
  .transform(({ max_messages, include_events, include_agent_event, ...fields }) => ({
    max_messages,
    ...withFilterDefaults(fields),
    include_events: include_events ?? include_agent_event ?? false,
  }));

/** Condition that counts messages. */
export const maxMessages = defineTermination({
  type: 'max_messages',
  summary: 'Satisfied after this number of messages, the task included.',
  config: MaxMessagesConfig,
  messageFilter: (config) => conditionMessageFilter(config),
  observe: (config, delta) => filterItems(config, delta).length || undefined,
  step({ max_messages: max }, state: number | undefined, { observed = 0 }: { observed?: number }) {
    const count = (state ?? 0) + observed;
    if (count < max) return { type: 'stepped', state: count };
    return { type: 'stepped', state: count, reason: `max_messages: ${count} of ${max}` };
  },
});
