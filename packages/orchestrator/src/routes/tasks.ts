import {
  Answer,
  ClaimTask,
  problems,
  ReleaseTask,
  TaskDetail,
  TaskList,
  TaskListQuery,
  TaskPath,
  taskDetailOf,
} from '@millrace/api';
import { RequestError } from '@millrace/core';
import type { InboxTask, Namespace } from '@millrace/runtime';
import { z } from 'zod';
import { answerTask, placeOf } from '../answer-task.ts';
import { given } from '../given.ts';
import type { Server } from '../server.ts';

/** Questions to people. */
export function addTaskRoutes(server: Server): void {
  addReads(server);
  addClaims(server);
  server.post(
    '/v1/tasks/:id/answer',
    {
      config: { demand: 'answer' },
      schema: {
        summary: 'Answer a question; the first answer counts',
        params: TaskPath,
        body: Answer,
        response: { 200: z.object({ runId: z.string(), task: z.string() }), ...problems },
      },
    },
    async ({ caller: { space }, params, body }) => {
      await answerTask(space, params.id, body);
      return { runId: placeOf(params.id).run, task: params.id };
    },
  );
}

function addReads(server: Server): void {
  server.get(
    '/v1/tasks',
    {
      config: { demand: 'read' },
      schema: {
        summary: 'The open questions of all runs, or of one',
        querystring: TaskListQuery,
        response: { 200: TaskList, ...problems },
      },
    },
    async ({ caller: { space }, query: { cursor, limit, ...query } }) => {
      const { tasks, next } = await space.tasks({ limit, ...given(query), ...given({ after: cursor }) });
      const nextCursor = next === undefined ? null : `${next.startedAt}.${next.run}.${next.activation}`;
      return { data: tasks.map(taskDetailOf), nextCursor };
    },
  );
  server.get(
    '/v1/tasks/:id',
    {
      config: { demand: 'read' },
      schema: { summary: 'One question, open or not', params: TaskPath, response: { 200: TaskDetail, ...problems } },
    },
    async ({ caller: { space }, params: { id } }) => taskDetailOf(await taskAt(space, id)),
  );
}

function addClaims(server: Server): void {
  const response = { 200: TaskDetail, ...problems };
  server.post(
    '/v1/tasks/:id/claim',
    {
      config: { demand: 'answer' },
      schema: {
        summary: 'Take a question on for a while, so that nobody else answers it',
        params: TaskPath,
        body: ClaimTask,
        response,
      },
    },
    async ({ caller: { space }, params: { id }, body: { assignee, seconds } }) => {
      assertOpen(await taskAt(space, id));
      await space.claims.claim(id, assignee, seconds * 1000);
      const task = await taskAt(space, id);
      // It may have been answered just before it was claimed, and never after.
      if (task.status === 'closed') await space.claims.release(id, assignee);
      assertOpen(task);
      return taskDetailOf(task);
    },
  );
  server.post(
    '/v1/tasks/:id/release',
    {
      config: { demand: 'answer' },
      schema: { summary: 'Give a question back that was claimed', params: TaskPath, body: ReleaseTask, response },
    },
    async ({ caller: { space }, params: { id }, body: { assignee } }) => {
      await taskAt(space, id);
      await space.claims.release(id, assignee);
      return taskDetailOf(await taskAt(space, id));
    },
  );
}

function taskAt(space: Namespace, id: string): Promise<InboxTask> {
  const { run, activation } = placeOf(id);
  return space.task(run, activation);
}

function assertOpen({ activation, status }: InboxTask): void {
  if (status === 'closed') throw new RequestError('TASK_ANSWERED', `Activation ${activation} asks nothing any more.`);
}
