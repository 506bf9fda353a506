import type { ConditionInput } from '@millrace/core';
import { defineTermination, singleLine } from '@millrace/core';
import { z } from 'zod';
import { meetOnObservation } from './met-by-observed.ts';

/** Configuration of an `external` condition. */
export const ExternalConfig = z.object({
  name: z
    .string({ error: 'Write a name, such as `name: enough`.' })
    .min(1, { error: 'Write a name, such as `name: enough`.' })
    .regex(singleLine)
    .default('external')
    .describe('Name of the signal.'),
});

/** Condition that waits for a signal from outside. */
export const external = defineTermination({
  type: 'external',
  summary: 'Satisfied when a program or a person sends the run a signal of this name.',
  config: ExternalConfig,
  onSignal(config, { name, note }) {
    if (name !== config.name) return undefined;
    return ['external:', name, note].filter(Boolean).join(' ');
  },
  step: (_config, _state, moment: ConditionInput<string>) => meetOnObservation(moment),
});
