import type { RunPage } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit } from './page.ts';
import { RunId, RunLine, RunStatus, runLineOf, Tag } from './run.ts';

const Moment = z
  .string()
  .regex(
    /^(\d{1,15}|\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?)$/,
    'must be milliseconds since 1970 or an ISO 8601 time',
  )
  .transform((text, context) => {
    const at = /^\d+$/.test(text) && text.length > 4 ? Number(text) : Date.parse(text);
    if (Number.isFinite(at)) return at;
    context.addIssue({ code: 'custom', message: 'must be a time that there is' });
    return z.NEVER;
  });

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
  cursor: Cursor.optional().describe('nextCursor of the page before.'),
  status: RunStatus.optional(),
  workflow: z.string().min(1).max(200).optional(),
  tag: Tag.optional(),
  since: Moment.optional().describe('Started then or later; milliseconds since 1970, or ISO 8601.'),
  until: Moment.optional().describe('Started before.'),
});
/** RunListQuery as requests write it. */
export type RunListQueryInput = z.input<typeof RunListQuery>;

/** A page of runs. */
export const RunList = z
  .object({
    data: z.array(RunLine),
    nextCursor: z
      .string()
      .nullable()
      .describe('null when this is the last page. A page may have fewer runs than asked for and not be the last.'),
  })
  .meta({ id: 'RunList' });

/** A page as the API shows it. */
export const runListOf = ({ runs, next }: RunPage): z.infer<typeof RunList> => ({
  data: runs.map(runLineOf),
  nextCursor: next === undefined ? null : `${next.startedAt}.${RunId.parse(next.run)}`,
});
