import type { ConditionInput } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { conditionMessageFilter, filterMessages, messageFilterFields, withFilterDefaults } from './message-filter.ts';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of a `stop_message` condition. */
export const StopMessageConfig = z
  .object({ sources: messageFilterFields.sources, include_nested: messageFilterFields.include_nested })
  .transform((fields) => withFilterDefaults(fields));

/** Condition that waits for a message that requests the end. */
export const stopMessageTermination = defineTermination({
  type: 'stop_message',
  summary: 'Satisfied by a message that requests the end.',
  config: StopMessageConfig,
  messageFilter: (config) => conditionMessageFilter(config),
  observe(config, delta) {
    const found = filterMessages(config, delta).find(({ kind }) => kind === 'stop');
    return found === undefined ? undefined : `stop_message: ${found.source}`;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
