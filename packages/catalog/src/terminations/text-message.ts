import type { TerminationMoment } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { seen, sightFields, sightOf, sourceName, visibleMessages } from './message-filter.ts';
import { metByObserved } from './met-by-observed.ts';

/** Configuration of a `text_message` condition. */
export const TextMessageConfig = z
  .object({
    source: sourceName.optional().describe('Who says it; anybody when left out. `user` stands for the task.'),
    include_task: sightFields.include_task,
    include_nested: sightFields.include_nested,
  })
  .transform(({ source, ...fields }) => ({ ...(source === undefined ? {} : { source }), ...seen(fields) }));

/** Looks for plain text, which neither hands over nor asks for the end. */
export const textMessage = defineTermination({
  type: 'text_message',
  summary: 'Met by a message of plain text.',
  config: TextMessageConfig,
  sight: ({ source, ...config }) =>
    sightOf({ ...config, ...(source === undefined ? {} : { sources: [source] }) }, true),
  observe(config, delta) {
    const found = visibleMessages(config, delta).find(
      ({ kind, source }) => kind === 'text' && (config.source ?? source) === source,
    );
    return found === undefined ? undefined : `text_message: ${found.source}`;
  },
  step: (_config, _state, moment: TerminationMoment<string>) => metByObserved(moment),
});
