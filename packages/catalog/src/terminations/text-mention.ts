import type { TerminationMoment } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { eventsField, seen, sightFields, sightOf, visible } from './message-filter.ts';
import { metByObserved } from './met-by-observed.ts';

/** Configuration of a `text_mention` condition. */
export const TextMentionConfig = z
  .object({
    text: z
      .string({ error: 'Write the text to look for, such as `text: APPROVE`.' })
      .min(1, { error: 'Write the text to look for, such as `text: APPROVE`.' })
      .describe('The text to look for, as part of words too.'),
    case_sensitive: z
      .boolean({ error: 'Write `true` or `false`.' })
      .default(true)
      .describe('Whether upper and lower case differ.'),
    ...sightFields,
    include_events: eventsField('Whether events are searched, such as calls of tools; they are when left out.'),
  })
  .transform(({ text, case_sensitive, include_events, ...fields }) => ({
    text,
    case_sensitive,
    ...seen(fields),
    include_events: include_events ?? true,
  }));

/** Looks for a text. */
export const textMention = defineTermination({
  type: 'text_mention',
  summary: 'Met when a text is mentioned.',
  config: TextMentionConfig,
  sight: (config) => sightOf(config, true),
  observe(config, delta) {
    const fold = (text: string) => (config.case_sensitive ? text : text.toLowerCase());
    const wanted = fold(config.text);
    const found = visible(config, delta).find((item) => {
      const name = item.type === 'event' ? (item.name ?? '') : '';
      return fold(`${name}\n${item.text}`).includes(wanted);
    });
    return found === undefined ? undefined : `text_mention: '${config.text}' by ${found.source}`;
  },
  step: (_config, _state, moment: TerminationMoment<string>) => metByObserved(moment),
});
