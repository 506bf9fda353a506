import type { TerminationMoment } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { seen, sightFields, sightOf, visible } from './message-filter.ts';
import { metByObserved } from './met-by-observed.ts';

/** Configuration of a `function_call` condition. */
export const FunctionCallConfig = z
  .object({
    function_name: z
      .string({ error: 'Write the name of a function, such as `function_name: approve`.' })
      .min(1, { error: 'Write the name of a function, such as `function_name: approve`.' })
      .describe('The function, by the name that the model calls it by.'),
    sources: sightFields.sources,
    include_nested: sightFields.include_nested,
  })
  .transform(({ function_name, ...fields }) => ({ function_name, ...seen(fields) }));

/** Waits for a function to have been called; one that failed has been called, too. */
export const functionCall = defineTermination({
  type: 'function_call',
  summary: 'Met when a model has called this function.',
  config: FunctionCallConfig,
  sight: (config) => sightOf(config),
  observe(config, delta) {
    const found = visible({ ...config, include_events: true }, delta).some(
      (item) => item.type === 'event' && item.kind === 'tool_call_execution' && item.name === config.function_name,
    );
    return found ? `function_call: ${config.function_name}` : undefined;
  },
  step: (_config, _state, moment: TerminationMoment<string>) => metByObserved(moment),
});
