import { RequestError } from '@millrace/core';
import type { InboxTask, Namespace } from '@millrace/runtime';
import { z } from 'zod';
import { omitUndefined } from '../omit-undefined.ts';
import { operation } from '../operation.ts';
import { answerTask, placeOf } from './answer-task.ts';
import { ClaimTask, ReleaseTask, TaskDetail, TaskList, TaskListQuery, taskDetailOf } from './inbox.ts';
import { Answer, TaskPath } from './task.ts';

export const listTasks = operation({
  name: 'tasks.list',
  method: 'GET',
  path: '/v1/tasks',
  scope: 'read',
  summary: 'The open questions of all runs, or of one',
  query: TaskListQuery,
  output: TaskList,
  async run({ tenant }, { cursor, limit, ...query }) {
    const { tasks, next } = await tenant.tasks({ limit, ...omitUndefined(query), ...omitUndefined({ after: cursor }) });
    const nextCursor = next === undefined ? null : `${next.startedAt}.${next.run}.${next.activation}`;
    return { body: { data: tasks.map(taskDetailOf), nextCursor } };
  },
});

export const getTask = operation({
  name: 'tasks.get',
  method: 'GET',
  path: '/v1/tasks/:id',
  scope: 'read',
  summary: 'One question, open or not',
  params: TaskPath,
  output: TaskDetail,
  run: async ({ tenant }, { id }) => ({ body: taskDetailOf(await taskAt(tenant, id)) }),
});

export const answer = operation({
  name: 'tasks.answer',
  method: 'POST',
  path: '/v1/tasks/:id/answer',
  scope: 'answer',
  summary: 'Answer a question; the first answer counts',
  params: TaskPath,
  body: Answer,
  output: z.object({ runId: z.string(), task: z.string() }),
  async run({ tenant }, { id, ...given }) {
    await answerTask(tenant, id, given);
    return { body: { runId: placeOf(id).run, task: id } };
  },
});

export const claimTask = operation({
  name: 'tasks.claim',
  method: 'POST',
  path: '/v1/tasks/:id/claim',
  scope: 'answer',
  summary: 'Take a question on for a while, so that nobody else answers it',
  params: TaskPath,
  body: ClaimTask,
  output: TaskDetail,
  async run({ tenant }, { id, assignee, seconds }) {
    assertOpen(await taskAt(tenant, id));
    await tenant.claims.claim(id, assignee, seconds * 1000);
    const task = await taskAt(tenant, id);
    // It may have been answered just before it was claimed, and never after.
    if (task.status === 'closed') await tenant.claims.release(id, assignee);
    assertOpen(task);
    return { body: taskDetailOf(task) };
  },
});

export const releaseTask = operation({
  name: 'tasks.release',
  method: 'POST',
  path: '/v1/tasks/:id/release',
  scope: 'answer',
  summary: 'Give a question back that was claimed',
  params: TaskPath,
  body: ReleaseTask,
  output: TaskDetail,
  async run({ tenant }, { id, assignee }) {
    await taskAt(tenant, id);
    await tenant.claims.release(id, assignee);
    return { body: taskDetailOf(await taskAt(tenant, id)) };
  },
});

function taskAt(tenant: Namespace, id: string): Promise<InboxTask> {
  const { run, activation } = placeOf(id);
  return tenant.task(run, activation);
}

function assertOpen({ activation, status }: InboxTask): void {
  if (status === 'closed') throw new RequestError('TASK_ANSWERED', `Activation ${activation} asks nothing any more.`);
}
