import { omitUndefined, parseQuestionId, questionPattern } from '@millrace/core';
import type { InboxTask } from '@millrace/runtime';
import { z } from 'zod';
import { PageLimit } from '../page.ts';
import { Assignee, Task, taskOf } from '../task.ts';
import { RunId } from './run.ts';

/** A question with its claim. */
export const TaskDetail = Task.extend({
  workflow: z.string(),
  status: z.enum(['open', 'claimed', 'closed']).describe('`closed`: answered, or withdrawn when its run ended.'),
  assignee: z.string().optional().describe('Person who has claimed it.'),
  claimedUntil: z.number().optional().describe('Milliseconds since 1970.'),
  attachments: z
    .array(
      z.object({
        id: z.string().optional().describe('For its download; absent where its content is not stored here.'),
        name: z.string(),
        mimeType: z.string(),
        size: z.number().optional().describe('In bytes.'),
      }),
    )
    .optional()
    .describe('Files in the input of the node; absent in lists.'),
  answer: z.string().optional().describe('Beginning of the answer, of a question that was answered; absent in lists.'),
  answeredBy: z.string().optional().describe('Person who has answered, if known; absent in lists.'),
}).meta({ id: 'TaskDetail' });
/** TaskDetail as responses have it. */
export type TaskDetail = z.output<typeof TaskDetail>;

const Cursor = z
  .string()
  .regex(new RegExp(`^\\d{1,15}\\.[A-Za-z0-9_-]{1,128}\\.${questionPattern.source}$`), 'must be a nextCursor')
  .transform((text) => {
    const [startedAt = '', ...id] = text.split('.');
    return { startedAt: Number(startedAt), ...parseQuestionId(id.join('.')) };
  });

/** Query for a page of questions. */
export const TaskListQuery = z.object({
  limit: PageLimit,
  cursor: Cursor.optional().describe('nextCursor of the previous page.'),
  run: RunId.optional(),
  workflow: z.string().min(1).max(200).optional(),
  order: z.literal('oldest').optional().describe('Questions of the runs that began first come first; default: last.'),
  assignee: Assignee.optional().describe('Only tasks that this person has claimed; `me`: the caller.'),
  view: z
    .literal('head')
    .optional()
    .describe('Only the first 2,048 characters of each `input` and `memory`; a question alone has all.'),
  status: z.enum(['open', 'claimed']).optional().describe('Only tasks with a claim, or without one; absent: both.'),
});
/** A page of questions. */
export const TaskList = z
  .object({
    data: z.array(TaskDetail),
    nextCursor: z
      .string()
      .nullable()
      .describe('null when this is the last page. A page may have fewer tasks than asked for and not be the last.'),
  })
  .meta({ id: 'TaskList' });

/** Query for the numbers of questions. */
export const TaskCountsQuery = TaskListQuery.pick({ workflow: true });

/** Numbers of questions. */
export const TaskCounts = z
  .object({
    open: z.int().describe('Questions without a claim.'),
    claimed: z.int(),
    mine: z.int().describe('Questions that the caller has claimed.'),
    capped: z.boolean().describe('There are more questions than were counted.'),
  })
  .meta({ id: 'TaskCounts' });

/** Schema of a claim of a question. */
export const ClaimTask = z
  .strictObject({
    assignee: Assignee.describe('Person who claims it; only this person may answer it until then.'),
    seconds: z.int().min(1).max(86_400).default(600).describe('Duration of the claim; claiming again extends it.'),
  })
  .meta({ id: 'ClaimTask' });

/** Schema of the release of a question. */
export const ReleaseTask = z.strictObject({ assignee: Assignee }).meta({ id: 'ReleaseTask' });

/** A question with its claim, as the API shows it; `head` as for {@link taskOf}. */
export const taskDetailOf = (task: InboxTask, view?: 'head'): z.infer<typeof TaskDetail> => ({
  ...taskOf(task, view),
  workflow: task.workflow,
  status: task.status,
  ...(task.attachments === undefined ? {} : { attachments: task.attachments.map(attachmentOf) }),
  ...(task.claim === undefined ? {} : { assignee: task.claim.assignee, claimedUntil: task.claim.until }),
});

/** Returns a question and its claim for a caller who may not read what the question is about. */
export const withoutQuestion = ({
  id,
  runId,
  node,
  workflow,
  status,
  assignee,
  claimedUntil,
}: z.infer<typeof TaskDetail>): z.infer<typeof TaskDetail> => ({
  ...{ id, runId, node, workflow, status, prompt: '', input: '' },
  ...omitUndefined({ assignee, claimedUntil }),
});

const attachmentOf = ({ id, digest, name, mimeType, size }: NonNullable<InboxTask['attachments']>[number]) => ({
  ...(digest === undefined ? {} : { id }),
  name,
  mimeType,
  ...(size === undefined ? {} : { size }),
});
