import type { ActivationId } from '@millrace/core';
import { ModelUsage } from '@millrace/core/schemas';
import { z } from 'zod';
import { WorkflowReference } from '../workflow.ts';
import { BudgetLimit, NewRunId, TtlSeconds } from './run.ts';

const Activation = z
  .custom<string>((value) => typeof value === 'string' && /^a\d+$/.test(value), 'must be an activation, such as a7')
  .meta({ type: 'string', pattern: '^a\\d+$' })
  .transform((id) => id as ActivationId); // the pattern has checked its form

const as = NewRunId.optional().describe('The id of the new run; two requests with the same id make one run.');

const Changed = z.union([WorkflowReference, z.strictObject({ yaml: z.string() })]);

const Vars = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Other values for variables of the workflow; the rest stays as the run was started.');

/** Options of a replay. */
export const ReplayRun = z
  .strictObject({
    liveFrom: Activation.optional().describe(
      'This activation, and those that became ready after it, are executed again.',
    ),
    workflow: Changed.optional().describe('Another workflow, under which the task is repeated; any workflow.'),
    vars: Vars,
    mode: z
      .enum(['strict', 'position', 'reuse'])
      .optional()
      .describe(
        '`strict`: a call that is not recorded fails the run, which is the default; `position`: calls take the recorded results of their places, whatever they ask; `reuse`: calls that are not recorded are made, except for those of tools, and no memory is written.',
      ),
    ttlSeconds: TtlSeconds.optional(),
    budget: BudgetLimit.optional().describe('Limits for the calls that the replay makes; absent: those of the run.'),
    runId: as,
  })
  .nullish();
/** Options of a fork. */
export const ForkRun = z.strictObject({
  at: Activation.describe('The new run shares the history before this activation was settled.'),
  output: z.string().optional().describe('Result of the activation in the new run; absent: it is executed again.'),
  input: z.string().optional().describe('Input of the activation instead of the messages that it had.'),
  vars: Vars,
  prompt: z
    .string()
    .optional()
    .describe(
      'Another system prompt (`role`) of the node of the activation, as it is: variables in it are not replaced.',
    ),
  model: z.string().min(1).optional().describe('Name of another model for the node of the activation.'),
  workflow: Changed.optional().describe(
    'Another workflow with which the new run continues; it has the same nodes and edges.',
  ),
  runId: as,
});
/** Query for the preview of a fork. */
export const ForkPreviewQuery = z.object({
  at: Activation.describe('The activation at which the run would be forked.'),
});

/** History that a fork would share, and work that it would repeat. */
export const ForkPreview = z
  .object({
    kept: z.int().describe('Number of activations that the fork takes over; none of them is executed again.'),
    live: z
      .array(z.string())
      .describe('Activations that had not settled at that time, this one included: they are executed in the fork.'),
    following: z
      .int()
      .describe('Number of activations that became due afterwards; the fork decides again which follow.'),
    inherited: ModelUsage.describe(
      'Usage of the history without the activation itself: part of the `usage` and the budget of the fork, and not paid again.',
    ),
    own: ModelUsage.describe(
      'Usage of the calls of the activation itself: part of the `usage` and the budget of the fork, too; they are made again unless the activation has an output.',
    ),
    after: ModelUsage.describe(
      'Usage of the run after that: an estimate of the cost of the later activations of the fork.',
    ),
    settings: z
      .object({
        prompt: z.string().describe('System prompt (`role`); empty: none.'),
        model: z.string().describe('Name of the model.'),
      })
      .optional()
      .describe('Settings of the node, which a fork may change; absent: it asks no model.'),
  })
  .meta({ id: 'ForkPreview' });
