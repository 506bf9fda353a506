import type { TerminationMoment } from '@millrace/core';
import { defineTermination } from '@millrace/core';
import { z } from 'zod';
import { seen, sightFields, sightOf, visibleMessages } from './message-filter.ts';
import { metByObserved } from './met-by-observed.ts';

/** Configuration of a `handoff` termination. */
export const HandoffTerminationConfig = z
  .object({
    target: z
      .string({ error: 'Write whom it is handed over to, such as `target: user`.' })
      .min(1, { error: 'Write whom it is handed over to, such as `target: user`.' })
      .describe('The name that a message hands over to: a node, or somebody outside such as `user`.'),
    sources: sightFields.sources,
    include_nested: sightFields.include_nested,
  })
  .transform(({ target, ...fields }) => ({ target, ...seen(fields) }));

/** Looks for a handoff. */
export const handoffTermination = defineTermination({
  type: 'handoff',
  summary: 'Met when a message hands over to this target.',
  config: HandoffTerminationConfig,
  sight: (config) => sightOf(config),
  observe(config, delta) {
    const found = visibleMessages(config, delta).find(
      ({ kind, target }) => kind === 'handoff' && target === config.target,
    );
    return found === undefined ? undefined : `handoff: ${found.source} -> ${config.target}`;
  },
  step: (_config, _state, moment: TerminationMoment<string>) => metByObserved(moment),
});
