import type { ConditionInput } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import {
  conditionMessageFilter,
  eventsField,
  filterItems,
  messageFilterFields,
  withFilterDefaults,
} from './message-filter.ts';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of a `text_mention` condition. */
export const TextMentionConfig = z
  .object({
    text: z
      .string({ error: 'Write the text to look for, such as `text: APPROVE`.' })
      .min(1, { error: 'Write the text to look for, such as `text: APPROVE`.' })
      .describe('Text to search for, also as part of words.'),
    case_sensitive: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(true)
      .describe('Distinguishes upper and lower case.'),
    ...messageFilterFields,
    include_events: eventsField('Whether events are searched, such as calls of tools; they are when left out.'),
  })
  .transform(({ text, case_sensitive, include_events, ...fields }) => ({
    text,
    case_sensitive,
    ...withFilterDefaults(fields),
    include_events: include_events ?? true,
  }));

/** Condition that searches for a text. */
export const textMention = defineTermination({
  type: 'text_mention',
  summary: 'Satisfied when a message contains a text.',
  config: TextMentionConfig,
  messageFilter: (config) => conditionMessageFilter(config, true),
  observe(config, delta) {
    const fold = (text: string) => (config.case_sensitive ? text : text.toLowerCase());
    const wanted = fold(config.text);
    const found = filterItems(config, delta).find((item) => {
      const name = item.type === 'event' ? (item.name ?? '') : '';
      return fold(`${name}\n${item.text}`).includes(wanted);
    });
    return found === undefined ? undefined : `text_mention: '${config.text}' by ${found.source}`;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
