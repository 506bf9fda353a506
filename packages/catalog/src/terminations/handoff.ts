import type { ConditionInput } from '@millrace/core';
import { defineTermination, singleLine } from '@millrace/core';
import { z } from 'zod';
import { conditionMessageFilter, filterMessages, messageFilterFields, withFilterDefaults } from './message-filter.ts';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of a `handoff` termination. */
export const HandoffTerminationConfig = z
  .object({
    target: z
      .string({ error: 'Write whom it is handed over to, such as `target: user`.' })
      .min(1, { error: 'Write whom it is handed over to, such as `target: user`.' })
      .regex(singleLine)
      .describe('Target of the handoff: a node, or a person or program outside of the graph such as `user`.'),
    sources: messageFilterFields.sources,
    include_nested: messageFilterFields.include_nested,
  })
  .transform(({ target, ...fields }) => ({ target, ...withFilterDefaults(fields) }));

/** Condition that waits for a handoff. */
export const handoffTermination = defineTermination({
  type: 'handoff',
  summary: 'Satisfied when a message hands over to this target.',
  config: HandoffTerminationConfig,
  messageFilter: (config) => conditionMessageFilter(config),
  observe(config, delta) {
    const found = filterMessages(config, delta).find(
      ({ kind, target }) => kind === 'handoff' && target === config.target,
    );
    return found === undefined ? undefined : `handoff: ${found.source} -> ${config.target}`;
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
