import type { ConditionInput } from '@millrace/core';
import { defineTermination, singleLine } from '@millrace/core';
import { z } from 'zod';
import { conditionMessageFilter, filterItems, messageFilterFields, withFilterDefaults } from './message-filter.ts';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of a `function_call` condition. */
export const FunctionCallConfig = z
  .object({
    function_name: z
      .string({ error: 'Write the name of a function, such as `function_name: approve`.' })
      .min(1, { error: 'Write the name of a function, such as `function_name: approve`.' })
      .regex(singleLine)
      .describe('Name of the function as the model calls it.'),
    sources: messageFilterFields.sources,
    include_nested: messageFilterFields.include_nested,
  })
  .transform(({ function_name, ...fields }) => ({ function_name, ...withFilterDefaults(fields) }));

/** Condition that waits for a call of a function; a call that failed counts, too. */
export const functionCall = defineTermination({
  type: 'function_call',
  summary: 'Satisfied when a model has called this function.',
  config: FunctionCallConfig,
  messageFilter: (config) => conditionMessageFilter(config),
  observe(config, delta) {
    const found = filterItems({ ...config, include_events: true }, delta).some(
      (item) => item.type === 'event' && item.kind === 'tool_call_execution' && item.name === config.function_name,
    );
    return found ? `function_call: ${config.function_name}` : undefined;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
