import type { TerminationMoment } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { eventsField, seen, sightFields, sightOf, sourceNames, visible } from './message-filter.ts';
import { metByObserved } from './met-by-observed.ts';

/** Configuration of a `source_match` condition. */
export const SourceMatchConfig = z
  .object({
    ...sightFields,
    sources: sourceNames.describe('The nodes that are waited for; `user` stands for the task.'),
    include_events: eventsField('Whether events count, such as calls of tools; they do when left out.'),
  })
  .transform(({ sources, include_events, ...fields }) => ({
    ...seen(fields),
    sources,
    include_events: include_events ?? true,
  }));

/** Waits for a node to speak. */
export const sourceMatch = defineTermination({
  type: 'source_match',
  summary: 'Met when one of these nodes has spoken.',
  config: SourceMatchConfig,
  sight: (config) => sightOf(config, config.sources.includes('user')),
  observe(config, delta) {
    const [first] = visible(config, delta);
    return first === undefined ? undefined : `source_match: ${first.source}`;
  },
  step: (_config, _state, moment: TerminationMoment<string>) => metByObserved(moment),
});
