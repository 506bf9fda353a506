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
    sources: sourcesField.describe('Nodes that the condition waits for; `user` means the task.'),
    include_events: eventsField('Whether events count, such as calls of tools; they do when left out.'),
  })
  .transform(({ sources, include_events, ...fields }) => ({
    ...withFilterDefaults(fields),
    sources,
    include_events: include_events ?? true,
  }));

/** Condition that waits for a message of a node. */
export const sourceMatch = defineTermination({
  type: 'source_match',
  summary: 'Satisfied when one of these nodes has sent a message.',
  config: SourceMatchConfig,
  messageFilter: (config) => conditionMessageFilter(config, config.sources.includes('user')),
  observe(config, delta) {
    const [first] = filterItems(config, delta);
    return first === undefined ? undefined : `source_match: ${first.source}`;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
