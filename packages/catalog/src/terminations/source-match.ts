import type { ConditionInput } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import {
  conditionMessageFilter,
  eventsField,
  filterItems,
  messageFilterFields,
  sourcesField,
  withFilterDefaults,
} from './message-filter.ts';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of a `source_match` condition. */
export const SourceMatchConfig = z
  .object({
    ...messageFilterFields,
    sources: sourcesField.describe('The nodes that are waited for; `user` stands for the task.'),
    include_events: eventsField('Whether events count, such as calls of tools; they do when left out.'),
  })
  .transform(({ sources, include_events, ...fields }) => ({
    ...withFilterDefaults(fields),
    sources,
    include_events: include_events ?? true,
  }));

/** Waits for a node to speak. */
export const sourceMatch = defineTermination({
  type: 'source_match',
  summary: 'Met when one of these nodes has spoken.',
  config: SourceMatchConfig,
  messageFilter: (config) => conditionMessageFilter(config, config.sources.includes('user')),
  observe(config, delta) {
    const [first] = filterItems(config, delta);
    return first === undefined ? undefined : `source_match: ${first.source}`;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
