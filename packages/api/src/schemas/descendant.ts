import type { ActivationId } from '@millrace/core';
import { z } from 'zod';
import { NewRunId } from './run.ts';

const Activation = z
  .custom<string>((value) => typeof value === 'string' && /^a\d+$/.test(value), 'must be an activation, such as a7')
  .meta({ type: 'string', pattern: '^a\\d+$' })
  .transform((id) => id as ActivationId); // the pattern has checked its form

const as = NewRunId.optional().describe('The id of the new run; asking twice for one makes one run.');

/** Options of a replay. */
export const ReplayRun = z
  .strictObject({
    liveFrom: Activation.optional().describe('This activation, and what became ready after it, is done anew.'),
    runId: as,
  })
  .nullish();
/** ReplayRun as requests write it. */
export type ReplayRunInput = NonNullable<z.input<typeof ReplayRun>>;

/** Options of a fork. */
export const ForkRun = z.strictObject({
  at: Activation.describe('The new run shares what happened before this one was settled.'),
  output: z.string().optional().describe('What the activation comes to; without it, it is executed anew.'),
  runId: as,
});
/** ForkRun as requests write it. */
export type ForkRunInput = z.input<typeof ForkRun>;
