import type { TerminationMoment } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { seen, sightFields, sightOf, visibleMessages } from './message-filter.ts';
import { metByObserved } from './met-by-observed.ts';

/** Configuration of a `stop_message` condition. */
export const StopMessageConfig = z
  .object({ sources: sightFields.sources, include_nested: sightFields.include_nested })
  .transform((fields) => seen(fields));

/** Looks for a message that asks for the end. */
export const stopMessageTermination = defineTermination({
  type: 'stop_message',
  summary: 'Met by a message that asks for the end.',
  config: StopMessageConfig,
  sight: (config) => sightOf(config),
  observe(config, delta) {
    const found = visibleMessages(config, delta).find(({ kind }) => kind === 'stop');
    return found === undefined ? undefined : `stop_message: ${found.source}`;
  },
  step: (_config, _state, moment: TerminationMoment<string>) => metByObserved(moment),
});
