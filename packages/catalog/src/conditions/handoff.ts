import { defineCondition, handoffTarget, singleLine } from '@millrace/core';
import { z } from 'zod';

/** Configuration of a `handoff` condition. */
export const HandoffConditionConfig = z.object({
  to: z
    .string({ error: 'Write whom it is handed over to, such as `to: Billing`.' })
    .min(1, { error: 'Write whom it is handed over to, such as `to: Billing`.' })
    .regex(singleLine)
    .describe('The name that the message hands over to.'),
});

/** Condition that holds for messages that hand over to a name. */
export const handoffCondition = defineCondition({
  type: 'handoff',
  summary: 'Lets messages pass that hand over to this name.',
  config: HandoffConditionConfig,
  describe: ({ to }) => `handed over to ${to}`,
  compile:
    ({ to }) =>
    (_text, message) =>
      handoffTarget(message) === to,
});
