import { omitUndefined, parseQuestionId, questionId, RequestError } from '@millrace/core';
import type { Content, InboxTask, TenantRuntime } from '@millrace/runtime';
import { z } from 'zod';
import { canRead } from '../operation/call.ts';
import type { Context } from '../operation/context.ts';
import { operation } from '../operation/operation.ts';
import { tool } from '../operation/tool.ts';
import {
  ClaimTask,
  ReleaseTask,
  TaskCounts,
  TaskCountsQuery,
  TaskDetail,
  TaskList,
  TaskListQuery,
  taskDetailOf,
  withoutQuestion,
} from '../schemas/runs/inbox.ts';
import { RunId } from '../schemas/runs/run.ts';
import { Answer, TaskAttachmentPath, TaskPath } from '../schemas/task.ts';
import { answerTask, pastAnswer } from './answer-task.ts';

export const listTasks = operation({
  name: 'tasks.list',
  method: 'GET',
  path: '/v1/tasks',
  scope: 'read',
  summary: 'The open questions of all runs, or of one',
  query: TaskListQuery,
  output: TaskList,
  tool: tool({
    name: 'list_tasks',
    description: 'The open questions of a run, or of all runs, with their inputs.',
    input: z.object({ runId: RunId.optional() }),
    request: ({ runId }) => ({ limit: 100, ...omitUndefined({ run: runId }) }),
    result: ({ data, nextCursor }: z.output<typeof TaskList>) => ({
      tasks: data,
      ...(nextCursor === null ? {} : { more: true }),
    }),
  }),
  async run({ tenant, caller }, { cursor, limit, assignee: wanted, view, ...query }) {
    const assignee = wanted === 'me' ? caller.name : wanted;
    const { tasks, next } = await tenant.tasks({
      limit,
      ...omitUndefined(query),
      ...omitUndefined({ assignee, after: cursor }),
    });
    const nextCursor = next === undefined ? null : `${next.startedAt}.${questionId(next.run, next)}`;
    return { body: { data: tasks.map((task) => taskDetailOf(task, view)), nextCursor } };
  },
});

export const countTasks = operation({
  name: 'tasks.counts',
  method: 'GET',
  path: '/v1/tasks/counts',
  scope: 'read',
  summary: 'The numbers of open questions',
  query: TaskCountsQuery,
  output: TaskCounts,
  run: async ({ tenant, caller }, query) => ({ body: await tenant.countTasks(omitUndefined(query), caller.name) }),
});

export const openAttachment = operation({
  name: 'tasks.attachment',
  method: 'GET',
  path: '/v1/tasks/:id/attachments/:file',
  sharesPath: true,
  scope: 'read',
  summary: 'The content of a file in the input of an open question',
  params: TaskAttachmentPath,
  output: z.custom<Content>(),
  kind: 'content',
  async run({ tenant }, { id, file }) {
    const { run, ...question } = parseQuestionId(id);
    return { body: await tenant.run(run).taskAttachment(question, file) };
  },
});

export const getTask = operation({
  name: 'tasks.get',
  method: 'GET',
  path: '/v1/tasks/:id',
  scope: 'read',
  summary: 'One question, open or closed',
  params: TaskPath,
  output: TaskDetail,
  async run({ tenant }, { id }) {
    const task = await taskAt(tenant, id);
    const detail = taskDetailOf(task);
    if (task.status !== 'closed') return { body: detail };
    const { text, by } = (await pastAnswer(tenant, task)) ?? {};
    return { body: { ...detail, ...omitUndefined({ answer: text, answeredBy: by }) } };
  },
});

export const submitAnswer = operation({
  name: 'tasks.answer',
  method: 'POST',
  path: '/v1/tasks/:id/answer',
  cli: [
    'answer <id> --data <data?:json> [--attach attachments]',
    'answer <id> <text:stdin> [--attach attachments] [--empty text:absent]',
  ],
  scope: 'answer',
  summary: 'Answer a question; the first answer counts',
  params: TaskPath,
  body: Answer,
  example: { text: 'ACCEPT' },
  output: z.object({ runId: z.string(), task: z.string() }),
  tool: tool({
    name: 'answer_task',
    description:
      'Answers an open question; the first answer counts, and the run continues. A question with a schema or an approval takes `data`, any other a `text`.',
    input: z.object({ taskId: TaskPath.shape.id, text: Answer.shape.text, data: Answer.shape.data }),
    request: ({ taskId, ...given }) => ({ id: taskId, ...omitUndefined(given) }),
    result: ({ runId, task }: { readonly runId: string; readonly task: string }) => ({
      runId,
      taskId: task,
      next: 'Call get_run with this runId to see what comes of it.',
    }),
  }),
  async run({ tenant, caller, answerContent, callDecision }, { id, ...given }) {
    const assignee = given.assignee ?? (caller.open ? undefined : caller.name);
    await answerTask({ tenant, answerContent, callDecision }, id, { ...given, assignee });
    return { body: { runId: parseQuestionId(id).run, task: id } };
  },
});

export const claimTask = operation({
  name: 'tasks.claim',
  method: 'POST',
  path: '/v1/tasks/:id/claim',
  cli: 'claim <id> --as <assignee> [--for seconds:seconds]',
  scope: 'answer',
  summary: 'Claim a question for a while, so that other people do not answer it',
  params: TaskPath,
  body: ClaimTask,
  example: { assignee: 'maria' },
  output: TaskDetail,
  async run(context, { id, assignee, seconds }) {
    const { tenant } = context;
    assertOpen(await taskAt(tenant, id));
    await tenant.claims.claim(id, assignee, seconds * 1000);
    const task = await taskAt(tenant, id);
    // It may have been answered just before it was claimed, and never after.
    if (task.status === 'closed') await tenant.claims.release(id, assignee);
    assertOpen(task);
    return { body: detailFor(context, task) };
  },
});

export const releaseTask = operation({
  name: 'tasks.release',
  method: 'POST',
  path: '/v1/tasks/:id/release',
  cli: 'release <id> --as <assignee>',
  scope: 'answer',
  summary: 'Release a claimed question',
  params: TaskPath,
  body: ReleaseTask,
  example: { assignee: 'maria' },
  output: TaskDetail,
  async run(context, { id, assignee }) {
    const { tenant } = context;
    await taskAt(tenant, id);
    await tenant.claims.release(id, assignee);
    return { body: detailFor(context, await taskAt(tenant, id)) };
  },
});

/** Returns a question as its caller may see it. */
function detailFor(caller: Pick<Context, 'scopes' | 'tenant'>, task: InboxTask): TaskDetail {
  const detail = taskDetailOf(task);
  return canRead(caller) ? detail : withoutQuestion(detail);
}

function taskAt(tenant: TenantRuntime, id: string): Promise<InboxTask> {
  const { run, ...question } = parseQuestionId(id);
  return tenant.run(run).task(question);
}

function assertOpen({ id, status }: InboxTask): void {
  if (status === 'closed') throw new RequestError('TASK_ANSWERED', `Question ${id} no longer waits for an answer.`);
}
