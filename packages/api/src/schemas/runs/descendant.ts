import type { ActivationId } from '@millrace/core';
import { z } from 'zod';
import { NewRunId } from './run.ts';

const Activation = z
  .custom<string>((value) => typeof value === 'string' && /^a\d+$/.test(value), 'must be an activation, such as a7')
  .meta({ type: 'string', pattern: '^a\\d+$' })
  .transform((id) => id as ActivationId); // the pattern has checked its form

const as = NewRunId.optional().describe('The id of the new run; two requests with the same id make one run.');

/** Options of a replay. */
export const ReplayRun = z
  .strictObject({
    liveFrom: Activation.optional().describe(
      'This activation, and those that became ready after it, are executed again.',
    ),
    runId: as,
  })
  .nullish();
/** ReplayRun as requests write it. */
export type ReplayRunInput = NonNullable<z.input<typeof ReplayRun>>;

/** Options of a fork. */
export const ForkRun = z.strictObject({
  at: Activation.describe('The new run shares the history before this activation was settled.'),
  output: z.string().optional().describe('Result of the activation in the new run; absent: it is executed again.'),
  runId: as,
});
/** ForkRun as requests write it. */
export type ForkRunInput = z.input<typeof ForkRun>;
