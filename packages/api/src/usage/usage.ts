import { tenantPattern } from '@millrace/core';
import { ModelUsage } from '@millrace/core/schemas';
import { z } from 'zod';
import { Moment } from '../schemas/moment.ts';
import { PageLimit } from '../schemas/page.ts';

const Group = z.enum(['day', 'workflow', 'model', 'tenant']);
/** Dimension by which usage is grouped. */
export type UsageGroup = z.output<typeof Group>;

/** Query for the usage of a tenant. */
export const UsageQuery = z.object({
  by: z
    .union([Group, z.array(Group).min(1).max(4)])
    .default('day')
    .transform((by) => [by].flat())
    .describe(
      'Adds up by these parts; given several times, by each combination. `tenant` needs a key of an operator and adds up all tenants.',
    ),
  since: Moment.optional().describe(
    'Time on the first day, in milliseconds since 1970 or ISO 8601; default: 29 days before the last one. Days are of UTC, and kept for 400 days.',
  ),
  until: Moment.optional().describe('Time on the last day; default: now.'),
  workflow: z.string().max(200).optional().describe('Only this workflow.'),
  model: z.string().max(200).optional().describe('Only calls of this model.'),
  tenant: z
    .string()
    .regex(tenantPattern, 'must be the name of a tenant')
    .optional()
    .describe('Usage of this tenant; another one than that of the key needs a key of an operator.'),
  limit: PageLimit.default(100).describe('Maximum number of tenants of a page, up to 200; only with `by=tenant`.'),
  cursor: z.string().max(32).default('').describe('nextCursor of the previous page; only with `by=tenant`.'),
});
/** Output of the schema UsageQuery. */
export type UsageQuery = z.output<typeof UsageQuery>;

const count = z.int();

const numbers = {
  ...ModelUsage.required().shape,
  microUsd: count.describe('Cost in millionths of a US dollar.'),
  runs: count.describe('Runs that ended, on the day of their last end.'),
  completed: count.describe('Of the runs, those that completed.'),
  failed: count,
  cancelled: count,
  terminated: count,
  budgetStopped: count.describe('Of the terminated runs, those that their budget stopped.'),
  lostTokens: count.describe(
    'Reserved for calls of runs with a budget whose outcome will never be known, such as those of a worker that died; not in the tokens.',
  ),
  lostMicroUsd: count.describe('What was reserved for these calls, in millionths of a US dollar; not in the cost.'),
} as const;

const UsageNumbers = z.object(numbers);
/** Numbers of calls and of ended runs. */
export type UsageNumbers = z.output<typeof UsageNumbers>;

/** One line of a report. */
const UsageLine = z
  .object({
    day: z.string().optional().describe('`YYYY-MM-DD` in UTC; only if added up by day.'),
    workflow: z
      .string()
      .nullable()
      .optional()
      .describe('Only if added up by workflow; null: all workflows beside the largest 100.'),
    model: z
      .string()
      .nullable()
      .optional()
      .describe(
        'Only if added up by model, without runs; null: models that are not known, and all beside the largest 100.',
      ),
    tenant: z.string().optional().describe('Only if added up by tenant.'),
    ...numbers,
  })
  .meta({ id: 'UsageLine' });
/** UsageLine as responses have it. */
export type UsageLine = z.output<typeof UsageLine>;

/** Usage over some days. */
export const UsageReport = z
  .object({
    since: z.number().describe('Start of the first day, in milliseconds since 1970.'),
    until: z.number().describe('End of the last day, in milliseconds since 1970.'),
    data: z.array(UsageLine).describe('Earlier days first, then the larger cost. Days without usage are left out.'),
    total: UsageNumbers.describe('Sum of all lines of the page.'),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'UsageReport' });
/** UsageReport as responses have it. */
export type UsageReport = z.output<typeof UsageReport>;
