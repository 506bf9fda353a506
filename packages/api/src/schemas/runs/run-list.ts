import type { RunCounts as Counts, RunPage } from '@millrace/runtime';
import { z } from 'zod';
import { Moment } from '../moment.ts';
import { PageLimit } from '../page.ts';
import { RunId, RunLine, RunStatus, runLineOf, Tag } from './run.ts';

const Cursor = z
  .string()
  .regex(/^\d{1,15}\.[A-Za-z0-9_-]{1,128}$/, 'must be a nextCursor')
  .transform((text) => {
    const [startedAt, run = ''] = text.split('.');
    return { startedAt: Number(startedAt), run };
  });

/** Query for a page of runs. */
export const RunListQuery = z.object({
  limit: PageLimit,
  cursor: Cursor.optional().describe('nextCursor of the previous page.'),
  status: z
    .union([RunStatus, z.array(RunStatus).min(1).max(8)])
    .optional()
    .describe('A status, or several: `status=failed&status=cancelled`.'),
  asks: z.literal('true').optional().describe('Only runs with open questions.'),
  q: z
    .string()
    .trim()
    .max(200)
    .regex(/[\p{L}\p{M}\p{N}_:.@-]/u, 'must contain a word: letters, digits or _ : . @ -')
    .optional()
    .describe('Words: each begins the id of a run, a word of its title, a tag, or the name of its workflow.'),
  text: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Words that the task or the result contains. The first 65,536 characters of both are searched, in at most 100 runs for a page, so use it with other filters.',
    ),
  of: RunId.optional().describe('Only replays and forks of this run.'),
  stop: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only runs that were stopped for this reason: `budget`, `external`, or the code of a termination.'),
  version: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'must be the hash of a version of a workflow')
    .optional()
    .describe('Only runs of this version of a workflow.'),
  workflow: z.string().min(1).max(200).optional(),
  tag: Tag.optional(),
  since: Moment.optional().describe('Started then or later; milliseconds since 1970, or ISO 8601.'),
  until: Moment.optional().describe('Started before.'),
});
/** Query for numbers of runs. */
export const RunCountsQuery = RunListQuery.pick({ workflow: true, tag: true, since: true, until: true });

/** A page of runs. */
export const RunList = z
  .object({
    data: z.array(RunLine),
    looked: z.int().describe('Number of runs that were read to find these.'),
    nextCursor: z
      .string()
      .nullable()
      .describe('null when this is the last page. A page may have fewer runs than asked for and not be the last.'),
  })
  .meta({ id: 'RunList' });

const count = z.int();

/** Numbers of runs. */
export const RunCounts = z
  .object({
    running: count,
    waiting: count,
    paused: count,
    stopping: count,
    completed: count,
    failed: count,
    cancelled: count,
    terminated: count,
    asks: count.describe('Runs that ask people something; they also count under their status.'),
    capped: z.boolean().describe('With `workflow` or `tag`: only the newest 10,000 runs were counted.'),
  })
  .meta({ id: 'RunCounts' });
/** RunCounts as responses have it. */
export type RunCounts = z.output<typeof RunCounts>;

/** Numbers as the API shows them. */
export const runCountsOf = ({ byStatus, ...rest }: Counts): RunCounts => ({
  running: 0,
  waiting: 0,
  paused: 0,
  stopping: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  terminated: 0,
  ...byStatus,
  ...rest,
});

/** A page as the API shows it. */
export const runListOf = ({ runs, looked, next }: RunPage): z.infer<typeof RunList> => ({
  data: runs.map(runLineOf),
  looked,
  nextCursor: next === undefined ? null : `${next.startedAt}.${RunId.parse(next.run)}`,
});
