import { omitUndefined } from '@millrace/core';
import type { BulkAction as Stored } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit, pageOf } from '../schemas/page.ts';
import { RunId, RunStatus } from '../schemas/runs/run.ts';
import { RunListQuery } from '../schemas/runs/run-list.ts';

const Filter = z
  .strictObject({
    status: RunStatus.optional(),
    workflow: RunListQuery.shape.workflow,
    tag: RunListQuery.shape.tag,
    since: RunListQuery.shape.since,
    until: RunListQuery.shape.until,
    ids: z.array(RunId).min(1).max(1000).optional().describe('Exactly these runs; not together with other filters.'),
  })
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), 'must name something')
  .refine(
    ({ ids, ...others }) => ids === undefined || Object.values(others).every((value) => value === undefined),
    'must not name other things beside ids',
  )
  .describe('As in GET /v1/runs; runs that start later are never among them.');

const Action = z.enum(['cancel', 'retry']).describe('cancel: runs that have not ended; retry: runs that have failed.');

/** Schema of a new bulk action. */
export const NewBulkAction = z
  .strictObject({
    action: Action,
    filter: Filter,
    reason: z.string().max(1000).optional().describe('Reason of the cancellation.'),
  })
  .refine(
    ({ action, filter: { status = 'failed' } }) => action !== 'retry' || status === 'failed',
    'only failed runs can be retried',
  )
  .meta({ id: 'NewBulkAction' });
export type NewBulkAction = z.infer<typeof NewBulkAction>;

/** State of a bulk action. */
export const BulkAction = z
  .object({
    id: z.string(),
    action: Action,
    filter: z
      .object({
        status: RunStatus.optional(),
        workflow: z.string().optional(),
        tag: z.string().optional(),
        since: z.number().optional().describe('Milliseconds since 1970.'),
        until: z.number().optional().describe('Milliseconds since 1970.'),
      })
      .optional()
      .describe('Absent when it names its runs.'),
    reason: z.string().optional().describe('Reason of the cancellation.'),
    total: z
      .number()
      .int()
      .optional()
      .describe('Number of runs that it was given for; absent when there were more than could be counted.'),
    status: z.enum(['running', 'finished']),
    done: z.number().int().describe('Number of runs to which the operation was applied.'),
    left: z
      .number()
      .int()
      .describe('Number of runs that had ended meanwhile, so that the operation could not be applied.'),
    createdAt: z.number().describe('Milliseconds since 1970.'),
    finishedAt: z.number().optional().describe('Milliseconds since 1970.'),
  })
  .meta({ id: 'BulkAction' });
/** BulkAction as responses have it. */
export type BulkAction = z.output<typeof BulkAction>;

/** One bulk action in a path. */
export const BulkPath = z.object({ id: z.string().regex(/^bulk_[0-9a-f]{32}$/, 'must be the id of a bulk action') });

/** Query for a page of bulk actions. */
export const BulkListQuery = z.object({ limit: PageLimit, cursor: BulkPath.shape.id.optional() });

/** A page of bulk actions, newest first. */
export const BulkList = pageOf(BulkAction);

/** A bulk action as the API shows it. */
export const bulkActionOf = ({
  id,
  action,
  filter,
  ids,
  reason,
  total,
  ...bulk
}: Stored): z.infer<typeof BulkAction> => {
  const { done, left, createdAt, finishedAt } = bulk;
  return omitUndefined({
    id,
    action,
    filter: ids === undefined ? omitUndefined(filter) : undefined,
    reason,
    total,
    status: finishedAt === undefined ? 'running' : 'finished',
    done,
    left,
    createdAt,
    finishedAt,
  });
};
